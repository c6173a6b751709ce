import { expect, test } from "vitest";
import { contextOf, keyOf, Note, once, open, read, saveUnanswered, seeded, valuesIn } from "./store.ts";

test("sends what was named, and leaves other edits for later", async () => {
  const store = await seeded(open, 1, { weight: 2.5 });
  const context = contextOf(store, { tracking: "explicit" });
  const entity = await read(context);
  Object.assign(entity, { title: "edited", pages: 9, weight: undefined });
  context.update(entity, "title");
  await context.saveChanges();
  expect(await valuesIn(store)).toEqual({ title: "edited", pages: 1, weight: 2.5 });
  context.update(entity, "pages");
  await context.saveChanges();
  expect(await valuesIn(store)).toEqual({ title: "edited", pages: 9, weight: 2.5 });
});

test("modify() and updateAll() save what their callbacks change", async () => {
  const store = await seeded(open, 3);
  const context = contextOf(store, { tracking: "explicit" });
  await context.modify(Note, keyOf(), (note) => void (note.pages = 99));
  const progress = await context
    .query(Note)
    .where({ book: "b" })
    .updateAll((note) => void (note.title = "all"));

  expect(progress).toMatchObject({ written: 3 });
  expect(await valuesIn(store)).toEqual({ title: "all", pages: 99 });
});

test("update() during an insert counts for the next save", async () => {
  const store = await open();
  const context = contextOf(store, { tracking: "explicit" });
  const entity = context.create(Note, { ...keyOf(), title: "new" });
  const write = store.storage.write.bind(store.storage);
  store.storage.write = (...args) => {
    entity.title = "later";
    context.update(entity, "title");
    store.storage.write = write;
    return write(...args);
  };
  await context.saveChanges();
  await context.saveChanges();

  expect(await valuesIn(store)).toMatchObject({ title: "later" });
});

test("update() of a property that is on its way counts for the next save", async () => {
  const store = await seeded(open);
  const context = contextOf(store, { tracking: "explicit" });
  const entity = await read(context);
  entity.title = "a";
  context.update(entity, "title");
  const write = store.storage.write.bind(store.storage);
  store.storage.write = (...args) => {
    store.storage.write = write;
    entity.title = "b";
    context.update(entity, "title");
    return write(...args);
  };
  await context.saveChanges();
  await context.saveChanges();
  expect(await valuesIn(store)).toMatchObject({ title: "b" });

  const other = contextOf(store, { ...once, tracking: "explicit" });
  const again = await read(other);
  again.title = "c";
  other.update(again, "title");
  await saveUnanswered(store, other);
  again.title = "d";
  other.update(again, "title");
  await other.saveChanges();
  expect(await valuesIn(store)).toMatchObject({ title: "d" });
});
