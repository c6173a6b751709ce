import { defineEntity, int32, SaveError, type TableContext, text } from "@partita/core";
import {
  type ActorTools,
  type FaultPlan,
  nothingStuck,
  outcomes,
  type Scenario,
  scenario,
  type SimulateOptions,
  takenOnce,
  writeFaults,
} from "../../src/index.ts";
import type { Proof } from "./workload.ts";

/** A history that is known by name: some faults by hand, in whatever order seeds choose. */
export interface NamedHistory {
  readonly name: string;
  readonly scenario: Scenario;
  readonly options: SimulateOptions;
}

const key = { group: "g", id: "a" };
const noRetry = { attempts: 1, delayMs: 0 };

/** Whatever a save comes to, the actor goes on. */
async function saved(context: TableContext): Promise<void> {
  try {
    await context.saveChanges();
  } catch (error) {
    if (!(error instanceof SaveError)) throw error;
  }
}

export function historiesOf(proof: Proof): readonly NamedHistory[] {
  // With markers no outcome stays unknown once faults have stopped.
  const check = [outcomes(), nothingStuck({ mayStayUnknown: proof.proof !== "marker" })];
  class Row extends defineEntity({
    table: "Rows",
    partitionKey: { group: text() },
    rowKey: { id: text() },
    properties: { value: int32() },
    ...proof,
  }) {}
  const setup = (context: TableContext): void => void context.add(new Row({ ...key, value: 100 }));
  const edit = async ({ context }: ActorTools): Promise<InstanceType<typeof Row>> => {
    const row = await context.find(Row, key);
    if (row === undefined) throw new Error("The row is gone.");
    row.value += 1;
    return row;
  };
  const alone = (
    name: string,
    editor: (tools: ActorTools) => Promise<unknown>,
    faults: () => FaultPlan,
    more: SimulateOptions = {},
  ): NamedHistory => ({
    name,
    scenario: scenario({ classes: [Row], setup, actors: { editor }, check, context: { retry: noRetry } }),
    options: { seeds: 30, actors: 1, steps: 1, faults, ...more },
  });
  const saveTwice = async (tools: ActorTools): Promise<void> => {
    await edit(tools);
    await saved(tools.context);
    await saved(tools.context);
  };
  return [
    alone("the second save is refused, and the first arrives late", saveTwice, () =>
      writeFaults("timeout-late", "refused"),
    ),
    alone("the second save meets the first, and cannot read what is stored", saveTwice, () =>
      readsFailAfterWrites(2, "timeout-late"),
    ),
    alone(
      "the first save is late, the second is lost, and the context waits",
      async (tools) => {
        await saveTwice(tools);
        await tools.context.resolveInDoubt({ wait: true });
      },
      () => writeFaults("timeout-late", "timeout-before"),
    ),
    alone(
      "an altered change is saved over a late one",
      async (tools) => {
        const row = await edit(tools);
        await saved(tools.context);
        row.value += 10;
        await saved(tools.context);
        await tools.context.resolveInDoubt({ wait: true });
      },
      () => writeFaults("timeout-late", "timeout-late"),
    ),
    alone(
      "a clock is set forward or back while a save is late",
      async (tools) => {
        await edit(tools);
        await saved(tools.context);
        await tools.context.resolveInDoubt({ wait: true });
      },
      () => writeFaults("timeout-late"),
      { seeds: 100, clock: { jumpMs: 300_000 } },
    ),
    {
      name: "two take one item by its removal",
      scenario: scenario({
        classes: [Row],
        setup,
        context: { retry: { attempts: 2, delayMs: 0 } },
        actors: {
          worker: ({ context, observe }) =>
            observe.claims("items").take(async () => {
              const row = await context.find(Row, key);
              if (row === undefined) return undefined;
              context.remove(row);
              await context.saveChanges({ removeMissing: "error" });
              return row.id;
            }),
        },
        check: [outcomes(), takenOnce()],
      }),
      options: { seeds: 30, actors: 2, steps: 1, faults: { rate: 0.3, kinds: ["reset"] } },
    },
    {
      name: "a hundred inserts, of which one key is taken",
      scenario: scenario({
        classes: [Row],
        actors: {
          async loader({ context, number }) {
            const rows = ["a", "b", "c", "d"].map((id) => new Row({ group: "g", id, value: number }));
            for (const row of rows) context.add(row);
            await saved(context);
            const [first] = rows;
            if (first !== undefined && context.entry(first).existsInStorage) context.discard(first);
            await saved(context);
          },
          rival: async ({ context }) => {
            context.add(new Row({ ...key, value: 0 }));
            await context.saveChanges();
          },
        },
        check,
      }),
      options: { seeds: 30, actors: 1, steps: 1, faults: { rate: 0.3, kinds: ["reset"], late: 0.5 } },
    },
  ];
}

/** The first write fails as planned; from the second on, reads that follow a write fail. */
function readsFailAfterWrites(from: number, fault: "timeout-late"): FaultPlan {
  let writes = 0;
  return ({ operations }) => {
    if (operations.length > 0) return ++writes === 1 ? fault : undefined;
    return writes >= from ? "reset-before" : undefined;
  };
}
