import { expect, test } from "vitest";
import { z } from "zod";
import {
  type ContextOptions,
  defineEntity,
  type EntityValidator,
  standardSchema,
  TableContext,
  text,
} from "../../../src/index.ts";
import { refusalOf, storageOf } from "./judged.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: { title: text(), note: text().optional() },
}) {}

const key = { p: "p", r: "1" };
const applying = (edit: (note: Note) => unknown): EntityValidator =>
  Object.assign(
    async (note: object) => {
      await edit(note as Note);
      return [];
    },
    { applyTransforms: true },
  );
const trim = applying((note) => (note.title = note.title.trim()));

async function prepared(options: ContextOptions) {
  const storage = await storageOf(Note);
  const first = new TableContext(storage);
  first.create(Note, { ...key, title: "old", note: "n" });
  await first.saveChanges();
  const context = new TableContext(storage, options);
  const note = (await context.find(Note, key)) as Note;
  const stored = () => storage.get("Notes", { partitionKey: "p", rowKey: "1" });
  return { context, note, stored };
}

test("validators are asked one after another, each after the edits of those before it", async () => {
  const { context, note, stored } = await prepared({
    validate: [trim, standardSchema(Note, z.object({ title: z.string().max(3) }))],
  });
  note.title = "  new  ";

  await context.saveChanges();

  expect(await stored()).toMatchObject({ title: "new" });
});

test("a violation of the same validator keeps its edits out of the entity", async () => {
  const judge: EntityValidator = (copy) => {
    (copy as Note).title = "edited";
    return [{ property: "title", message: "is odd" }];
  };
  const { context, note } = await prepared({ validate: Object.assign(judge, { applyTransforms: true }) });
  note.title = "mine";

  expect(await refusalOf(context)).toMatchObject({ code: "entity.invalid" });
  expect(note.title).toBe("mine");
});

test("an edit of the program while a validator runs stays, and is validated", async () => {
  const seen: unknown[] = [];
  const { context, note, stored } = await prepared({
    validate: applying(async (copy) => {
      seen.push(copy.title);
      await Promise.resolve();
      if (seen.length === 1) note.title = " newer ";
      copy.title = copy.title.trim();
    }),
  });
  note.title = " new ";

  await context.saveChanges();

  expect(seen).toEqual([" new ", " newer ", "newer"]);
  expect(await stored()).toMatchObject({ title: "newer" });
});

test("an edit that each round makes again is stopped", async () => {
  const { context, note } = await prepared({ validate: applying((copy) => (copy.title += "!")) });
  note.note = "x";

  expect(await refusalOf(context)).toMatchObject({ code: "validator.endless" });
});

test("edits of validators are saved where tracking is explicit", async () => {
  const { context, note, stored } = await prepared({
    tracking: "explicit",
    validate: applying((copy) => (copy.title = "edited")),
  });
  note.note = "new";
  context.update(note, "note");

  await context.saveChanges();

  expect(await stored()).toMatchObject({ title: "edited", note: "new" });
});

test("a key cannot be edited", async () => {
  const { context, note, stored } = await prepared({ validate: applying((copy) => (copy.r = "2")) });
  note.note = "new";

  expect(await refusalOf(context)).toMatchObject({ code: "entity.key-changed" });
  expect(await stored()).toMatchObject({ note: "n" });
});

test("properties that the class does not declare are an error, as those of any edit", async () => {
  const judge = applying((copy) => Object.assign(copy, { colour: "red" }));
  const { context, note } = await prepared({ validate: judge, undeclared: "error" });
  note.note = "new";
  expect(await refusalOf(context)).toMatchObject({ code: "entity.undeclared" });

  const judging: EntityValidator = (copy) => Object.assign([], Object.assign(copy, { colour: "red" }) && []);
  const other = await prepared({ validate: judging });
  other.note.note = "new";
  expect(await refusalOf(other.context)).toMatchObject({
    code: "validator.changed-entity",
    details: { properties: ["colour"] },
  });
});
