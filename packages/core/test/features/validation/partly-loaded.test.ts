import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineEntity, json, standardSchema, TableContext, text } from "../../../src/index.ts";
import { accepting, contextWith, refusalOf, storageOf } from "./judged.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: { title: text(), note: text().optional(), place: json<{ city: string }>().optional() },
}) {}

const key = { p: "p", r: "1" };

async function seeded() {
  const storage = await storageOf(Note);
  const context = new TableContext(storage);
  context.create(Note, { ...key, title: "t", note: "n", place: { city: "Oslo" } });
  await context.saveChanges();
  return storage;
}

/** Ways to a note of which only `note` is known. */
const ways: Readonly<Record<string, (context: TableContext) => Promise<Note>>> = {
  'select("note")': async (context) =>
    (await context.query(Note).where(key).select("note").toArray())[0] as Note,
  attach: async (context) =>
    context.attach(Object.assign(new Note({ ...key, title: "" }), { title: undefined }), "*"),
  "update of a subset": async (context) => {
    const note = (await context.query(Note).where(key).select("note").toArray())[0] as Note;
    context.update(note, "note");
    return note;
  },
};

describe.each(Object.entries(ways))("after %s", (_way, read) => {
  test("only what is loaded is judged", async () => {
    const storage = await seeded();
    const schema = z.object({
      title: z.string(),
      place: z.object({ city: z.string() }),
      note: z.string().min(2),
    });
    const seen: unknown[] = [];
    const context = contextWith(
      storage,
      accepting((note: Note) => seen.push("title" in note, "place" in note, "note" in note)),
      standardSchema(Note, schema as never),
    );
    const note = await read(context);
    note.note = "x";
    expect(await refusalOf(context)).toMatchObject({
      code: "entity.invalid",
      violations: [{ property: "note" }],
      details: { notLoaded: ["title", "place"] },
      message: expect.stringMatching(
        /Validated without title, place, which were not loaded\. See /,
      ) as unknown,
    });

    note.note = "fine";
    await context.saveChanges();

    expect(seen).toEqual([false, false, true, false, false, true]);
    expect(await storage.get("Notes", { partitionKey: "p", rowKey: "1" })).toMatchObject({
      title: "t",
      note: "fine",
    });
  });

  test("what is assigned to a property that was not loaded is judged", async () => {
    const context = contextWith(await seeded(), standardSchema(Note, z.object({ title: z.string().min(2) })));
    const note = await read(context);
    note.title = "x";

    expect(await refusalOf(context)).toMatchObject({ violations: [{ property: "title" }] });
  });

  test("a rule about the whole entity counts, and the error says what it could not see", async () => {
    const context = contextWith(await seeded(), () => [{ property: "", message: "is odd" }]);
    (await read(context)).note = "new";

    expect(await refusalOf(context)).toMatchObject({
      violations: [{ property: "" }],
      message: expect.stringMatching(/is odd\. Validated without title/) as unknown,
    });
  });
});

test("a violation within a property that was not loaded does not count, and one of a similar name does", async () => {
  const found = [
    { property: "place.city", message: "is missing" },
    { property: "places", message: "counts" },
  ];
  const context = contextWith(await seeded(), () => found);
  ((await context.query(Note).where(key).select("note").toArray())[0] as Note).note = "new";

  expect(await refusalOf(context)).toMatchObject({ violations: [found[1]] });
});

test("what is read after a projection is judged with the rest", async () => {
  const context = contextWith(await seeded(), standardSchema(Note, z.object({ title: z.string().min(2) })));
  const note = (await context.query(Note).where(key).select("note").toArray())[0] as Note;
  note.note = "new";
  await context.find(Note, key);

  expect(await refusalOf(context)).toMatchObject({ violations: [{ property: "title" }] });
});
