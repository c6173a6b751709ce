// The next save comes while an earlier write may still be stored: what it sends keeps the late write out.

import { expect, test } from "vitest";
import {
  contextOf,
  failure,
  keyOf,
  land,
  Note,
  once,
  open,
  outcomesOf,
  read,
  row,
  saveLate,
  seeded,
  valuesIn,
  saveHeld,
  seededNote,
} from "../store.ts";

test("an unconditional member of a transaction is not sent without the condition that guarded it", async () => {
  const { store, context, entity } = await seededNote(open, once);
  entity.pages = 2;
  const upserted = context.upsert(new Note({ ...keyOf(5), title: "u" }), "merge");
  // Held back by hand: a late fault would land with the next request.
  await saveHeld(store, context);
  upserted.title = "newer";

  expect(await outcomesOf(context.saveChanges({ only: [upserted] }))).toEqual(["unknown storage.timeout"]);
  expect(await row(store, 5)).toBeUndefined();
});

test("an instance that takes the key of an uncertain unconditional removal waits with it", async () => {
  const store = await seeded(open);
  const context = contextOf(store, once);
  context.removeByKey(Note, keyOf(), "*");
  await saveHeld(store, context);
  const other = context.create(Note, { ...keyOf(), title: "reborn" });

  const error = await failure(context.saveChanges());
  expect(error.results).toMatchObject([{ outcome: "rejected", error: { code: "storage.not-sent" } }]);
  expect(error.results[0]?.entity).toBe(other);
  expect(await valuesIn(store)).toMatchObject({ title: "note 1" });
});

test("an entity that was removed after its insert became unknown is not forgotten while it may yet appear", async () => {
  const store = await open();
  const context = contextOf(store, once);
  const entity = context.create(Note, { ...keyOf(), title: "new" });
  await saveLate(store, context);
  await context.reload(entity).catch(() => undefined);
  if (context.entry(entity).state !== "detached") context.remove(entity);
  await land(store);
  await outcomesOf(context.saveChanges());

  expect([await row(store), context.entry(entity).state]).toEqual([undefined, "detached"]);
});

test("set back while a write is in doubt: what it holds is sent, and keeps the late one out", async () => {
  const { store, context, entity } = await seededNote(open, once);
  entity.pages = 2;
  await saveHeld(store, context);
  const late = store.sent[0]?.[0] as never;
  entity.pages = 1;

  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  await expect(store.inner.write("Notes", late)).rejects.toMatchObject({
    serviceCode: "UpdateConditionNotSatisfied",
  });
  expect(await valuesIn(store)).toMatchObject({ pages: 1 });
});

test("a read in between does not make a late write of our own a conflict", async () => {
  const { store, context, entity } = await seededNote(open, once);
  entity.title = "first";
  await saveHeld(store, context);
  await context.query(Note).where({ book: "b" }).mergeOption("preserveChanges").toArray();
  expect(context.entry(entity).inDoubt).toBe(true);
  await store.inner.write("Notes", store.sent[0]?.[0] as never);

  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  expect(context.entry(entity)).toMatchObject({
    state: "unchanged",
    etag: (await row(store))?.["odata.etag"],
  });
});

test("keeping a late write out writes nothing that was not there", async () => {
  const store = await open();
  await store.inner.write("Notes", {
    type: "insert",
    entity: { PartitionKey: "b", RowKey: "1", title: "x" },
  });
  const context = contextOf(store, once);
  const entity = await read(context);
  entity.title = "y";
  await saveHeld(store, context);
  entity.title = "x";
  await context.saveChanges();

  expect(await valuesIn(store)).toEqual({ title: "x" });
});

test("removed while its insert may yet appear, and reloaded: the removal stands", async () => {
  const store = await open();
  const context = contextOf(store, once);
  const entity = context.create(Note, { ...keyOf(), title: "new" });
  await saveHeld(store, context);
  context.remove(entity);
  await context.reload(entity);
  expect(context.entry(entity).state).toBe("deleted");
  await store.inner.write("Notes", store.sent[0]?.[0] as never);
  await context.saveChanges();

  expect(await row(store)).toBeUndefined();
});
