import { defineEntity, int32, json, SaveError, type TableContext, text } from "@partita/core";
import { type ActorTools, scenario, type Scenario, type SimulationCheck } from "../../src/index.ts";

/** Money of one bank, which transfers move. */
export class Account extends defineEntity({
  table: "Accounts",
  partitionKey: { bank: text() },
  rowKey: { id: text() },
  properties: { balance: int32() },
}) {}

/** Something that is counted, or written whole. */
export class Counter extends defineEntity({
  table: "Counters",
  partitionKey: { group: text() },
  rowKey: { name: text() },
  properties: { value: int32() },
}) {}

/** A list of values in one row. */
class Tags extends defineEntity({
  table: "Tags",
  partitionKey: { group: text() },
  rowKey: { name: text() },
  properties: { values: json<string[]>() },
}) {}

/** Work that is taken by its removal. */
export class Job extends defineEntity({
  table: "Jobs",
  partitionKey: { queue: text() },
  rowKey: { id: text() },
  properties: { task: text() },
}) {}

const ids: readonly string[] = ["a", "b", "c"];
const [bank, group, name, queue] = ["bank", "g", "n", "q"];

export const storeAccounts = (context: TableContext): void => {
  for (const id of ids) context.add(new Account({ bank, id, balance: 100 }));
};

export const sumOf = (accounts: readonly Account[]): number =>
  accounts.reduce((sum, { balance }) => sum + balance, 0);

/** Moves money between two accounts, by one save or, as a bug, by two. */
async function transfer({ context, random }: ActorTools, saves: 1 | 2): Promise<void> {
  const from = random.oneOf(ids);
  const to = random.oneOf(ids.filter((id) => id !== from));
  const by = 1 + random.below(9);
  const [payer, payee] = await context.findMany(Account, [
    { bank, id: from },
    { bank, id: to },
  ]);
  if (payer === undefined || payee === undefined) throw new Error("An account is gone.");
  payer.balance -= by;
  if (saves === 2) await context.saveChanges();
  payee.balance += by;
  await context.saveChanges({ batch: "atomic" });
}

/** Transfers, under the checks that are given. */
export const transfers = (saves: 1 | 2, check: Scenario["check"]): Scenario<"clerk"> =>
  scenario({
    classes: [Account],
    setup: storeAccounts,
    actors: { clerk: (tools) => transfer(tools, saves) },
    check,
  });

/** A counter with one row. `read` and `add` may be wrong. */
export const counting = (
  add: (context: TableContext) => Promise<unknown>,
  check: SimulationCheck,
): Scenario<"visitor"> =>
  scenario({
    classes: [Counter],
    setup: (context) => void context.add(new Counter({ group, name, value: 0 })),
    actors: {
      async visitor({ context, openContext, observe }) {
        await observe.counter("visits").add(1, () => add(context));
        await observe
          .counter("visits")
          .read(async () => (await openContext().find(Counter, { group, name }))?.value);
      },
    },
    check,
  });

export const addOne = (context: TableContext): Promise<unknown> =>
  context.modify(Counter, { group, name }, (counter) => void counter.value++, { attempts: 20 });

/** Reads and writes without noticing what others wrote in between. */
export async function addOneBlindly(context: TableContext): Promise<void> {
  const found = await context.find(Counter, { group, name });
  context.clear({ discard: true });
  context.upsert(new Counter({ group, name, value: (found?.value ?? 0) + 1 }), "replace");
  await context.saveChanges();
}

/** One value that actors write and read. */
export const writing = (isStale: boolean, check: SimulationCheck): Scenario<"writer"> => {
  let cached: number | undefined;
  return scenario({
    classes: [Counter],
    setup(context) {
      cached = undefined;
      context.add(new Counter({ group, name, value: 0 }));
    },
    actors: {
      async writer({ openContext, observe, random, number, step }) {
        const value = 10 * number + step;
        const register = observe.register("value");
        if (random.below(2) === 0)
          await register.write(value, async () => {
            const context = openContext();
            context.upsert(new Counter({ group, name, value }), "replace");
            await context.saveChanges();
          });
        await register.read(async () => {
          // A cache that nobody empties.
          if (isStale && cached !== undefined) return cached;
          return (cached = (await openContext().find(Counter, { group, name }))?.value);
        });
      },
    },
    check,
  });
};

/** Tags that are added and removed; a bug overwrites what others added. */
export const tagging = (isBlind: boolean, check: SimulationCheck): Scenario<"editor"> =>
  scenario({
    classes: [Tags],
    setup: (context) => void context.add(new Tags({ group, name, values: [] })),
    actors: {
      async editor({ context, openContext, observe, random, number, step }) {
        const [tags, tag] = [observe.set("tags"), `${number}.${step}`];
        const change = async (edit: (values: string[]) => string[]): Promise<unknown> => {
          if (!isBlind)
            return context.modify(Tags, { group, name }, (row) => void (row.values = edit(row.values)), {
              attempts: 20,
            });
          const found = await openContext().find(Tags, { group, name });
          const own = openContext();
          own.upsert(new Tags({ group, name, values: edit(found?.values ?? []) }), "replace");
          return own.saveChanges();
        };
        await tags.add(tag, () => change((values) => [...values, tag]));
        if (random.below(2) === 0)
          await tags.remove(tag, () => change((values) => values.filter((other) => other !== tag)));
        const read = async (): Promise<readonly string[]> =>
          (await openContext().find(Tags, { group, name }))?.values ?? [];
        await tags.has(tag, async () => (await read()).includes(tag));
        await tags.read(read);
      },
    },
    check,
  });

/** A queue whose jobs are taken by removal; a bug takes what is removed by others, too. */
export const taking = (removeMissing: "error" | "ignore", check: Scenario["check"]): Scenario<"worker"> =>
  scenario({
    classes: [Job],
    setup: (context) => {
      for (const id of ["1", "2", "3"]) context.add(new Job({ queue, id, task: `Task ${id}` }));
    },
    actors: {
      worker: ({ context, observe }) =>
        observe.claims("jobs").take(async () => {
          const job = await context.query(Job).where({ queue }).first();
          if (job === undefined) return undefined;
          context.remove(job);
          try {
            await context.saveChanges({ removeMissing });
            return job.id;
          } catch (error) {
            if (error instanceof SaveError && error.results.every(({ outcome }) => outcome === "rejected"))
              return undefined;
            throw error;
          }
        }),
    },
    check,
  });
