import { defineEntity, int32, SaveError, type TableContext, text } from "@partita/core";
import { add, upgrades } from "@partita/core/upgrades";
import { upgradeTable } from "@partita/maintenance";
import {
  type ActorTools,
  invariant,
  linearizable,
  type NamedCheck,
  nothingLost,
  nothingStuck,
  outcomes,
  type Scenario,
  scenario,
  takenOnce,
} from "../../src/index.ts";
import { indexedRows, listAppends, longAppends, queueMessages } from "./list-and-queue-work.ts";
import { randomWork } from "./random-work.ts";
import { uniqueOverTable } from "./unique-over-table-work.ts";
import type { Proof, Workload } from "./workload.ts";

const [group, ids] = ["g", ["a", "b", "c"]];
/** With markers no outcome stays unknown once faults have stopped. */
const always = ({ proof }: Proof): NamedCheck[] => [
  outcomes(),
  nothingStuck({ mayStayUnknown: proof !== "marker" }),
];

/** Whether every change of a save was certainly refused: such a save may be made anew. */
const isRejected = (error: unknown): error is SaveError =>
  error instanceof SaveError && error.results.every(({ outcome }) => outcome === "rejected");

/** The work that the issue of a store is about: several actors, and each kind of write. */
export const workloadsOf = (proof: Proof): readonly Workload[] => [
  transfers(proof),
  counters(proof),
  insertRaces(proof),
  queue(proof),
  readsDuringBatches(proof),
  severalSaves(proof),
  upgradesBesideOldWriters(proof),
  listAppends(proof),
  longAppends(proof),
  indexedRows(proof),
  queueMessages(proof),
  // Its saves always have markers.
  ...(proof.proof === "marker" ? [uniqueOverTable()] : []),
  randomWork(proof, { name: "random work" }),
  randomWork(proof, { name: "random work with an index", isIndexed: true }),
  randomWork(proof, { name: "random work with messages", sendsMessages: true }),
];

function numbersIn(table: string, proof: Proof) {
  class Numbered extends defineEntity({
    table,
    partitionKey: { group: text() },
    rowKey: { id: text() },
    properties: { value: int32() },
    ...proof,
  }) {}
  const setup = (context: TableContext): void => {
    for (const id of ids) context.add(new Numbered({ group, id, value: 100 }));
  };
  const sum = (all: readonly Numbered[]): number => all.reduce((total, { value }) => total + value, 0);
  return { Numbered, setup, sum };
}

function transfers(proof: Proof): Workload {
  const { Numbered, setup, sum } = numbersIn("Transfers", proof);
  return {
    name: "transfers",
    scenario: {
      classes: [Numbered],
      setup,
      actors: {
        async clerk({ context, random }) {
          const from = random.oneOf(ids);
          const to = random.oneOf(ids.filter((id) => id !== from));
          const [payer, payee] = await context.findMany(Numbered, [
            { group, id: from },
            { group, id: to },
          ]);
          if (payer === undefined || payee === undefined) throw new Error("A row is gone.");
          const by = 1 + random.below(9);
          payer.value -= by;
          payee.value += by;
          await context.saveChanges({ batch: "atomic" });
        },
      },
    },
    checks: [...always(proof), invariant(Numbered, (all) => sum(all) === 300)],
  };
}

function counters(proof: Proof): Workload {
  const { Numbered, setup } = numbersIn("Counters", proof);
  const key = { group, id: "a" };
  return {
    name: "counters",
    scenario: {
      classes: [Numbered],
      setup,
      actors: {
        async visitor({ context, openContext, observe }) {
          const counter = observe.counter("a");
          await counter.add(1, () =>
            context.modify(Numbered, key, (row) => void row.value++, { attempts: 10 }),
          );
          await counter.read(async () => (await openContext().find(Numbered, key))?.value);
        },
      },
    },
    checks: [...always(proof), linearizable({ a: 100 })],
  };
}

/** Several insert one key, each beside a row of its own; who is refused gives the contested one up and saves the rest. */
function insertRaces(proof: Proof): Workload {
  const { Numbered } = numbersIn("Inserts", proof);
  return {
    name: "insert races",
    scenario: {
      classes: [Numbered],
      actors: {
        async claimer({ context, observe, random, number, step }) {
          const id = random.oneOf(ids);
          await observe.claims("keys").take(async () => {
            const contested = context.add(new Numbered({ group, id, value: number }));
            context.add(new Numbered({ group, id: `own ${number}.${step}`, value: number }));
            try {
              await context.saveChanges();
              return id;
            } catch (error) {
              if (!isRejected(error)) throw error;
              context.discard(contested);
              await context.saveChanges();
              return undefined;
            }
          });
        },
      },
    },
    checks: [...always(proof), takenOnce()],
  };
}

function queue(proof: Proof): Workload {
  const { Numbered, setup } = numbersIn("Jobs", proof);
  return {
    name: "queue",
    scenario: {
      classes: [Numbered],
      setup,
      actors: {
        worker: ({ context, observe }) =>
          observe.claims("jobs").take(async () => {
            const job = await context.query(Numbered).where({ group }).first();
            if (job === undefined) return undefined;
            context.remove(job);
            try {
              await context.saveChanges({ removeMissing: "error" });
              return job.id;
            } catch (error) {
              if (isRejected(error)) return undefined;
              throw error;
            }
          }),
      },
    },
    checks: [...always(proof), takenOnce()],
  };
}

function readsDuringBatches(proof: Proof): Workload {
  const { Numbered, setup } = numbersIn("Batches", proof);
  const values = async (context: TableContext): Promise<InstanceType<typeof Numbered>[]> =>
    context.query(Numbered).where({ group }).toArray();
  return {
    name: "reads during batches",
    scenario: {
      classes: [Numbered],
      setup,
      actors: {
        async writer({ context, number, step }) {
          for (const row of await values(context)) row.value = 10 * number + step;
          await context.saveChanges({ batch: "atomic", update: step % 2 === 0 ? "replace" : "merge" });
        },
        async reader({ context }) {
          const found = new Set((await values(context)).map(({ value }) => value));
          if (found.size !== 1) throw new Error(`A batch was seen in part: ${[...found].join(", ")}`);
        },
      },
    },
    checks: [
      ...always(proof),
      invariant(Numbered, (all) => new Set(all.map(({ value }) => value)).size === 1),
    ],
  };
}

/** One change that is saved again while it is in doubt, or is altered before that, or is resolved. */
function severalSaves(proof: Proof): Workload {
  const { Numbered, setup } = numbersIn("Saves", proof);
  const save = async ({ context, random, clock }: ActorTools, alter: () => void): Promise<void> => {
    for (let left = 3; left > 0; left--) {
      try {
        await context.saveChanges({ batch: random.oneOf(["auto", "none"] as const) });
        return;
      } catch (error) {
        if (!(error instanceof SaveError) || left === 1) throw error;
        if (random.below(3) === 0) alter();
        if (random.below(3) === 0) await clock.wait(random.below(70_000));
        if (random.below(3) === 0) await context.resolveInDoubt({ wait: random.below(2) === 0 });
      }
    }
  };
  return {
    name: "several saves",
    scenario: {
      classes: [Numbered],
      setup,
      context: { retry: { attempts: 2, delayMs: 10 } },
      actors: {
        async editor(tools) {
          const { context, random, number, step } = tools;
          const rows = await context.query(Numbered).where({ group }).toArray();
          const edited = rows.slice(0, 1 + random.below(2));
          const alter = (): void => {
            for (const row of edited) row.value += number;
          };
          alter();
          if (random.below(3) === 0) context.add(new Numbered({ group, id: `${number}.${step}`, value: 1 }));
          const last = rows.at(-1);
          if (random.below(4) === 0 && last !== undefined && !edited.includes(last)) context.remove(last);
          await save(tools, alter);
        },
      },
    },
    checks: always(proof),
  };
}

function upgradesBesideOldWriters(proof: Proof): Workload {
  const declared = {
    table: "Upgrades",
    partitionKey: { group: text() },
    rowKey: { id: text() },
    ...proof,
  } as const;
  class Old extends defineEntity({ ...declared, properties: { value: int32() } }) {}
  class Present extends defineEntity({
    ...declared,
    properties: { value: int32(), label: text() },
    version: upgrades({ value: int32() }).to(2, add("label", text(), "old")),
  }) {}
  return {
    name: "upgrades beside old writers",
    scenario: {
      classes: [Present],
      setup(context) {
        for (const id of ids) context.add(new Old({ group, id, value: 100 }));
      },
      actors: {
        writer: ({ context, random }) =>
          context.modify(Old, { group, id: random.oneOf(ids) }, (row) => void row.value++, { attempts: 10 }),
        upgrader: ({ storage }) => upgradeTable(storage, [Present]),
      },
    },
    checks: [...always(proof), nothingLost(Present, { by: "upgrader" })],
  };
}

/** A workload under some of its checks. */
export const scenarioOf = ({ scenario: declared }: Workload, check: Scenario["check"]): Scenario =>
  scenario({ ...declared, check });
