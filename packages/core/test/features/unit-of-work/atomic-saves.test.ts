import { expect, test } from "vitest";
import {
  arrive,
  contextOf,
  keyOf,
  Note,
  once,
  open,
  outcomesOf,
  read,
  removedBy,
  row,
  saveHeld,
  seeded,
  valuesIn,
  seededNote,
} from "./store.ts";

test("atomic stays atomic when a member meets a late write of its own", async () => {
  const { store, context, entity } = await seededNote(open, once);
  entity.title = "first";
  await saveHeld(store, context);
  const late = store.sent[0]?.[0] as never;
  entity.title = "second";
  context.create(Note, { ...keyOf(2), title: "new" });
  const transact = store.storage.transact.bind(store.storage);
  let hasLanded = false;
  store.storage.transact = async (...args) => {
    if (!hasLanded) await store.inner.write("Notes", late);
    hasLanded = true;
    return transact(...args);
  };

  expect(await outcomesOf(context.saveChanges({ batch: "atomic" }))).toEqual([
    "rejected conflict.etag",
    expect.stringMatching(/^rejected/),
  ]);
  expect(await valuesIn(store)).toMatchObject({ title: "first" });
  expect(await outcomesOf(context.saveChanges({ batch: "atomic" }))).toEqual(["committed", "committed"]);
  expect(store.sent.slice(1).map((operations) => operations.length)).toEqual([2, 2]);
  expect(await valuesIn(store)).toMatchObject({ title: "second" });
});

test("atomic: nothing is sent while one of its entities cannot be", async () => {
  const store = await seeded(open);
  const context = contextOf(store, once);
  context.upsert(new Note({ ...keyOf(5), title: "u" }), "merge");
  await saveHeld(store, context);
  context.create(Note, { ...keyOf(6), title: "new" });

  expect(await outcomesOf(context.saveChanges({ batch: "atomic" }))).toEqual([
    "unknown storage.timeout",
    "rejected storage.not-sent",
  ]);
  expect(await row(store, 6)).toBeUndefined();
});

test("atomic: another program took the row of a lost removal, so the rest of the group is not sent alone", async () => {
  const store = await seeded(open);
  const context = contextOf(store, once);
  const taking = { batch: "atomic", removeMissing: "error" } as const;
  const taken = await read(context);
  context.remove(taken);
  context.create(Note, { ...keyOf(2), title: "new" });
  await saveHeld(store, context, taking);
  await removedBy(store);

  expect(await outcomesOf(context.saveChanges(taking))).toEqual([
    "unknown storage.timeout",
    "unknown storage.timeout",
  ]);
  expect(await outcomesOf(context.saveChanges(taking))).toEqual([
    expect.stringMatching(/^unknown/),
    expect.stringMatching(/^unknown/),
  ]);
  expect(await row(store, 2)).toBeUndefined();
  context.detach(taken);
  expect(await outcomesOf(context.saveChanges(taking))).toEqual(["committed"]);
});

test("atomic: the row of a lost removal is gone, which is what was asked for: the rest goes", async () => {
  const store = await seeded(open);
  const context = contextOf(store, once);
  context.remove(await read(context));
  context.create(Note, { ...keyOf(2), title: "new" });
  await saveHeld(store, context, { batch: "atomic" });
  await removedBy(store);

  expect(await outcomesOf(context.saveChanges({ batch: "atomic" }))).toEqual(["committed", "committed"]);
  await arrive(store, "Notes");
  expect(await row(store, 2)).toMatchObject({ title: "new" });
});
