import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  SaveError,
  type SaveResult,
  StorageError,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import type { WriteOperation } from "@partita/core/storage";
import { isLong } from "@partita/test-support/effort";
import { expect, test } from "vitest";
import { type FaultyStorage, randomFaults, virtualClock, withFaults } from "../../src/index.ts";

// With markers every outcome is found out, and nothing is carried out twice: eight workers under 30 % faults.

class Counter extends defineEntity({
  table: "Counters",
  partitionKey: { group: text() },
  rowKey: { id: text() },
  properties: { count: int32() },
  proof: "marker",
}) {}

class Item extends defineEntity({
  table: "Items",
  partitionKey: { queue: text() },
  rowKey: { id: text() },
  properties: {},
  proof: "marker",
}) {}

const workers = 8;

interface Bench {
  readonly inner: TableStorage;
  readonly storage: FaultyStorage;
  /** How often each key was inserted. */
  readonly inserted: Map<string, number>;
}

async function bench(seed: number): Promise<Bench> {
  const inner = await openStorage("memory:");
  await createTables(inner, [Counter, Item]);
  const inserted = new Map<string, number>();
  const note = (operations: readonly WriteOperation[]): void => {
    for (const operation of operations) {
      if (operation.type !== "insert") continue;
      const { RowKey } = operation.entity;
      inserted.set(RowKey, (inserted.get(RowKey) ?? 0) + 1);
    }
  };
  const transact: TableStorage["transact"] = async (table, operations, options) => {
    const results = await inner.transact(table, operations, options);
    note(operations);
    return results;
  };
  const journal = new Proxy(inner, {
    get(target, name: keyof TableStorage) {
      const member: unknown = name === "transact" ? transact : target[name];
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  return { inner, storage: withFaults(journal, randomFaults({ seed, rate: 0.3 })), inserted };
}

const contextOf = (storage: TableStorage): TableContext =>
  new TableContext(storage, { retry: { attempts: 4, delayMs: 0 }, clock: virtualClock() });

/** Saves until nothing is unknown. */
async function outcomeOf(context: TableContext): Promise<SaveResult["outcome"]> {
  try {
    await context.saveChanges();
    return "committed";
  } catch (error) {
    if (!(error instanceof SaveError)) throw error;
    const [first] = error.results;
    return first?.outcome === "unknown" ? resolved(context) : (first?.outcome ?? "rejected");
  }
}

async function resolved(context: TableContext): Promise<SaveResult["outcome"]> {
  for (;;) {
    const [result] = await context.resolveInDoubt();
    if (result === undefined) throw new Error("nothing was left in doubt");
    if (result.outcome !== "unknown") return result.outcome;
  }
}

/** A read that fails is read again. */
async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }
}

const increments = isLong ? 10_000 : 1_000;

test(`${increments} increments by eight workers under 30 % faults are ${increments}`, async () => {
  const { inner, storage } = await bench(1);
  const first = new TableContext(inner);
  for (let n = 0; n < 4; n++) first.create(Counter, { group: "g", id: String(n), count: 0 });
  await first.saveChanges();
  let left = increments;
  const worker = async (name: number): Promise<void> => {
    for (let turn = name; left > 0; turn++) {
      left--;
      for (let isDone = false; !isDone;) {
        const context = contextOf(storage);
        const key = { group: "g", id: String(turn % 4) };
        const counter = (await patiently(() => context.find(Counter, key))) as Counter;
        counter.count++;
        isDone = (await outcomeOf(context)) === "committed";
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, name) => worker(name)));
  await storage.settle();

  const counters = await new TableContext(inner).query(Counter).where({ group: "g" }).toArray();
  expect(counters.reduce((sum, { count }) => sum + count, 0)).toBe(increments);
});

const items = isLong ? 1_000 : 150;

test(`${items} items are taken once each, though workers race to remove them`, async () => {
  const { inner, storage } = await bench(2);
  const first = new TableContext(inner);
  for (let n = 0; n < items; n++) first.create(Item, { queue: "q", id: String(n) });
  await first.saveChanges();
  const taken: string[] = [];
  const worker = async (): Promise<void> => {
    for (;;) {
      const context = contextOf(storage);
      const [item] = await patiently(() => context.query(Item).where({ queue: "q" }).take(3).toArray());
      if (item === undefined) return;
      context.remove(item);
      if ((await outcomeOf(context)) === "committed") taken.push(item.id);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  await storage.settle();

  expect([taken.length, new Set(taken).size]).toEqual([items, items]);
});

test(`${items} items are inserted once each, though others remove them in between`, async () => {
  const { inner, storage, inserted } = await bench(3);
  let [next, isDone] = [0, false];
  const inserter = async (): Promise<void> => {
    for (let n = next++; n < items; n = next++) {
      const context = contextOf(storage);
      context.create(Item, { queue: "q", id: `i${n}` });
      let outcome = await outcomeOf(context);
      while (outcome === "rejected") outcome = await outcomeOf(context);
    }
  };
  const remover = async (): Promise<void> => {
    while (!isDone) {
      const context = contextOf(inner);
      for (const item of await context.query(Item).where({ queue: "q" }).toArray()) context.remove(item);
      await context.saveChanges({ removeMissing: "ignore" }).catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const removing = remover();
  await Promise.all(Array.from({ length: workers }, inserter));
  await storage.settle();
  isDone = true;
  await removing;

  const own = [...inserted].filter(([key]) => key.startsWith("i"));
  expect([own.length, own.filter(([, count]) => count !== 1)]).toEqual([items, []]);
});
