import { expect, test } from "vitest";
import { changedBy, contextOf, failure, Note, open, read, removedBy, seeded, valuesIn } from "./store.ts";

test("resolve asks about an edit of what was never loaded, if the stored value is another one", async () => {
  const store = await seeded(open, 1, { weight: 2.5 });
  const context = contextOf(store);
  const [part] = (await context.query(Note).where({ book: "b" }).select("title").toArray()) as Note[];
  (part as Note).weight = 7.5;
  await changedBy(store, { pages: 9 });
  await failure(context.saveChanges());
  const asked: unknown[] = [];
  await context.resolveConflict(part as Note, async (conflict) => {
    asked.push(conflict);
    await Promise.resolve();
    return { value: 4.25 };
  });
  await context.saveChanges();

  expect(asked).toEqual([{ property: "weight", base: undefined, mine: 7.5, theirs: 2.5 }]);
  expect(await valuesIn(store)).toMatchObject({ weight: 4.25, pages: 9 });
});

test("resolve refuses what is no choice, and to choose by property where one side is a removal", async () => {
  const store = await seeded(open, 3);
  const context = contextOf(store);
  const [first, second, third] = [await read(context, 1), await read(context, 2), await read(context, 3)];
  for (const note of [first, second]) note.title = "mine";
  context.remove(third);
  await changedBy(store, { title: "theirs" }, 1);
  await removedBy(store, 2);
  const choose = (): never => "ours" as never;

  await expect(context.resolveConflict(first, choose)).rejects.toMatchObject({ code: "context.option" });
  await expect(context.resolveConflict(second, choose)).rejects.toMatchObject({
    code: "entity.nothing-to-choose",
  });
  await expect(context.resolveConflict(third, choose)).rejects.toMatchObject({
    code: "entity.nothing-to-choose",
  });
  expect(context.entry(third).state).toBe("deleted");
});
