// A response arrives, and lacks the ETag or a result: what it leaves out is read before the next change.

import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  openStorage,
  type SaveError,
  TableContext,
  text,
} from "../../../../src/index.ts";
import {
  changedBy,
  contextOf,
  failure,
  keyOf,
  Note,
  open,
  outcomesOf,
  read,
  seeded,
  valuesIn,
} from "../store.ts";

test("an answer without an ETag: the version is read before the next change, and a newer one is a conflict", async () => {
  const store = await seeded(open, 2);
  const context = contextOf(store);
  const [first, second] = [await read(context, 1), await read(context, 2)];
  const transact = store.storage.transact.bind(store.storage);
  store.storage.transact = async (...args) => (await transact(...args)).map(() => ({}));
  for (const note of [first, second]) note.title = "edited";
  await context.saveChanges();
  store.storage.transact = transact;
  expect(context.entry(first).etag).toBeUndefined();
  await changedBy(store, { pages: 50 }, 2);
  for (const note of [first, second]) note.title = "again";
  const other = context.create(Note, { ...keyOf(3), title: "new" });

  expect(await outcomesOf(context.saveChanges())).toEqual([
    "rejected conflict.etag",
    "committed",
    "committed",
  ]);
  expect([await valuesIn(store, 1), await valuesIn(store, 2)]).toMatchObject([
    { title: "again" },
    { title: "edited", pages: 50 },
  ]);
  expect(context.entry(other).state).toBe("unchanged");
});

test("an answer with too few results says nothing: the rows do", async () => {
  const store = await seeded(open, 2);
  const context = contextOf(store);
  for (const n of [1, 2]) (await read(context, n)).title = "edited";
  let calls = 0;
  store.storage.transact = async () => {
    calls++;
    return [];
  };

  expect(await outcomesOf(context.saveChanges())).toEqual([
    "unknown storage.malformed-response",
    "unknown storage.malformed-response",
  ]);
  expect(calls).toBe(3);
});

test("an entity that cannot take its answer does not keep others from theirs", async () => {
  class Marked extends defineEntity({
    table: "Marks",
    partitionKey: { book: text() },
    rowKey: { id: text() },
    properties: { title: text() },
    etagProperty: "etag",
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Marked]);
  // Frozen while it is on its way: before, it would be refused.
  const frozen = new Marked({ ...keyOf(1), title: "frozen" });
  const context = new TableContext(storage, { hooks: { sending: () => void Object.freeze(frozen) } });
  context.add(frozen);
  const other = context.create(Marked, { ...keyOf(2), title: "other" });

  const error: SaveError = await failure(context.saveChanges());
  expect(error.results.map((r) => r.outcome)).toEqual(["committed", "committed"]);
  expect([context.entry(frozen).state, context.entry(other).state]).toEqual(["unchanged", "unchanged"]);
  expect(other.etag).toBe(context.entry(other).etag);
  expect(await context.saveChanges()).toEqual([]);
});
