import { expect, test } from "vitest";
import {
  contextOf,
  failure,
  keyOf,
  Note,
  open,
  outcomesOf,
  read,
  removedBy,
  row,
  seeded,
  valuesIn,
  seededNote,
} from "./store.ts";

test("an entity whose row is gone is inserted after reload(), not replaced for ever", async () => {
  const store = await seeded(open);
  const context = contextOf(store);
  context.remove(await read(context));
  const other = context.create(Note, { ...keyOf(), title: "other" });
  await removedBy(store);
  expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.missing"]);
  await context.reload(other);

  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  expect(await valuesIn(store)).toMatchObject({ title: "other" });
});

test("a row that is gone is not added again from a part of it", async () => {
  const store = await seeded(open, 1, { hidden: true });
  const context = contextOf(store);
  const [part] = await context.query(Note).where({ book: "b" }).select("title").toArray();
  await removedBy(store);
  (part as Note).title = "edited";

  await expect(context.resolveConflict(part as Note, "mine")).rejects.toMatchObject({
    code: "entity.not-loaded",
  });
  expect(await row(store)).toBeUndefined();
});

test("reload with preserveChanges keeps what a new entity holds over the row that took its key", async () => {
  const store = await seeded(open, 1, { hidden: true });
  const context = contextOf(store);
  const entity = context.create(Note, { ...keyOf(), title: "mine" });
  await failure(context.saveChanges());
  await context.reload(entity, { mergeOption: "preserveChanges" });
  await context.saveChanges();

  expect(await valuesIn(store)).toMatchObject({ title: "mine", hidden: true });
});

test("a reload that was asked for before a save does not undo it", async () => {
  const { store, context, entity } = await seededNote(open);
  const get = store.storage.get.bind(store.storage);
  store.storage.get = async (...args) => {
    const found = await get(...args);
    store.storage.get = get;
    entity.pages = 77;
    await context.saveChanges();
    return found;
  };
  await context.reload(entity);

  expect(entity.pages).toBe(77);
  expect(context.entry(entity).etag).toBe((await row(store))?.["odata.etag"]);
});
