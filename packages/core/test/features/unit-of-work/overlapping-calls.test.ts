import { expect, test } from "vitest";
import { contextOf, keyOf, Note, open, outcomesOf, read, seeded, valuesIn, seededNote } from "./store.ts";

test("two modify() of one key in one context: both count", async () => {
  const store = await seeded(open);
  const context = contextOf(store);
  const increment = (): Promise<unknown> =>
    context.modify(Note, keyOf(), async (note) => {
      const { pages } = note;
      await new Promise((resolve) => setImmediate(resolve));
      note.pages = pages + 1;
    });
  await Promise.all([increment(), increment(), increment()]);

  expect(await valuesIn(store)).toMatchObject({ pages: 4 });
});

test("modify() whose change throws leaves nothing behind", async () => {
  const store = await seeded(open);
  const context = contextOf(store);
  const broken = context.modify(Note, keyOf(), (note) => {
    note.pages = 77;
    throw new Error("no");
  });
  await expect(broken).rejects.toThrow("no");

  expect(await context.saveChanges()).toEqual([]);
  expect((await read(context)).pages).toBe(1);
});

test("modify() inside modify() is refused instead of waiting for itself", async () => {
  const store = await seeded(open, 2);
  const context = contextOf(store);
  const nested = context.modify(Note, keyOf(1), async () => {
    await context.modify(Note, keyOf(2), () => undefined);
  });

  await expect(nested).rejects.toMatchObject({ code: "context.reentrant-save" });
});

test("only: an iterator that can be read once is read once", async () => {
  const { context, entity } = await seededNote(open);
  entity.title = "edited";

  expect(await outcomesOf(context.saveChanges({ only: new Set([entity]).values() }))).toEqual(["committed"]);
});

test("only: an entity that is let go and added again before the save begins is saved", async () => {
  const store = await open();
  const context = contextOf(store);
  const [first, second] = [1, 2].map((n) => context.create(Note, { ...keyOf(n), title: "new" })) as [
    Note,
    Note,
  ];
  const saves = [context.saveChanges({ only: [first] }), context.saveChanges({ only: [second] })];
  context.detach(second);
  context.add(second);
  await Promise.all(saves);

  expect(await valuesIn(store, 2)).toMatchObject({ title: "new" });
});

test("a row this context has removed does not come back from a page that was read before", async () => {
  const store = await seeded(open, 3);
  const context = contextOf(store);
  const rows = context.query(Note).where({ book: "b" })[Symbol.asyncIterator]();
  await rows.next();
  context.removeByKey(Note, keyOf(3), "*");
  await context.saveChanges();
  const rest: string[] = [];
  for await (const note of { [Symbol.asyncIterator]: () => rows }) rest.push(note.id);

  expect(rest).toEqual(["2"]);
  context.create(Note, { ...keyOf(3), title: "anew" });
  await context.saveChanges();
  expect((await context.query(Note).where({ book: "b" }).toArray()).length).toBe(3);
});
