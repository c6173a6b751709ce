// Writes of one entity that are in doubt together, or a delete and the insert that took its key.

import { expect, test } from "vitest";
import {
  contextOf,
  Cup,
  failure,
  keyOf,
  Note,
  once,
  open,
  outcomesOf,
  Pen,
  read,
  removedBy,
  row,
  saveHeld,
  saveUnanswered,
  seeded,
  valuesIn,
  seededNote,
} from "../store.ts";

test("of two doubts the newer, once proved, ends the older", async () => {
  const { store, context, entity } = await seededNote(open, once);
  entity.title = "first";
  store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
  await failure(context.saveChanges());
  entity.title = "second";
  let reads = 0;
  // The next save reads the old row, then its own write is stored unanswered.
  store.plan = ({ operations }) =>
    operations.length > 0 ? "timeout-after" : ++reads === 1 ? undefined : "refused";
  await failure(context.saveChanges());
  store.plan = undefined;
  entity.pages = 5;

  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  expect(await valuesIn(store)).toMatchObject({ title: "second", pages: 5 });
});

test("a removal that was stored, and two instances after it: the last one decides", async () => {
  const store = await seeded(open);
  const context = contextOf(store, once);
  context.remove(await read(context));
  await saveUnanswered(store, context);
  const second = context.create(Note, { ...keyOf(), title: "two" });
  context.remove(second);
  await context.saveChanges();
  expect(await row(store)).toBeUndefined();

  const again = await seeded(open);
  const other = contextOf(again, once);
  other.remove(await read(other));
  await saveUnanswered(again, other);
  other.remove(other.create(Note, { ...keyOf(), title: "two" }));
  other.create(Note, { ...keyOf(), title: "three" });
  await other.saveChanges();
  expect(await valuesIn(again)).toMatchObject({ title: "three" });
});

test("what was named by update() is not sent again once its write is proved", async () => {
  const store = await seeded(open);
  const context = contextOf(store, { ...once, tracking: "explicit" });
  const entity = await read(context);
  entity.title = "edited";
  context.update(entity, "title");
  await saveUnanswered(store, context);
  store.reset();

  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  expect(store.sent).toEqual([]);
});

test("a row of another kind is no proof", async () => {
  const store = await open();
  const context = contextOf(store, once);
  const pen = context.create(Pen, { ...keyOf(), title: "old" });
  await context.saveChanges();
  pen.title = "same";
  await saveHeld(store, context);
  const theirs = contextOf(store);
  theirs.remove((await theirs.find(Pen, keyOf())) as Pen);
  await theirs.saveChanges();
  theirs.create(Cup, { ...keyOf(), title: "same" });
  await theirs.saveChanges();

  expect(await outcomesOf(context.saveChanges())).toEqual([expect.stringMatching(/^unknown/)]);
});

test("a row that was only read again is not inserted when a removal in doubt turns out to be done", async () => {
  const { store, context, entity } = await seededNote(open, once);
  context.remove(entity);
  await saveHeld(store, context);
  await context.reload(entity);
  await removedBy(store);
  await outcomesOf(context.saveChanges());

  expect(await row(store)).toBeUndefined();
  expect(context.entry(entity)).toMatchObject({ state: "unchanged", stale: true });
});

test("a removal and what took its key, both in doubt, and the row is gone: the last one is inserted", async () => {
  const store = await seeded(open);
  const context = contextOf(store, once);
  context.remove(await read(context));
  await saveHeld(store, context);
  context.create(Note, { ...keyOf(), title: "again" });
  await saveHeld(store, context);
  await removedBy(store);

  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  expect(await valuesIn(store)).toMatchObject({ title: "again" });
});

test("a removal in doubt that was taken back, and the row is gone: the entity is stored again", async () => {
  const { store, context, entity } = await seededNote(open, once);
  context.remove(entity);
  await saveHeld(store, context);
  context.add(entity);
  // For all that the context can know, it was its own removal.
  await removedBy(store);

  expect(await context.saveChanges()).toMatchObject([{ operation: "insert", outcome: "committed" }]);
  expect(await valuesIn(store)).toMatchObject({ title: entity.title });
});

test("the same of a part of an entity, whose change is then refused: the row it belongs to is gone", async () => {
  const store = await seeded(open);
  const context = contextOf(store, once);
  const [part] = (await context.query(Note).where(keyOf()).select("title").toArray()) as Note[];
  const entity = part as Note;
  context.remove(entity);
  await saveHeld(store, context);
  context.add(entity);
  await removedBy(store);
  entity.title = "edited";

  expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.missing"]);
  expect(await row(store)).toBeUndefined();
});
