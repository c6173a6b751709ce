import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  fromPlain,
  json,
  openStorage,
  TableContext,
  toPlain,
  text,
} from "../../src/index.ts";

// Null is a value of JSON properties, stored as the text `null`; of all other properties it is the absence of a value.

interface Extra {
  readonly n: number;
}
class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: {
    extra: json<Extra | null>(),
    maybe: json<Extra | null>().optional(),
    title: text().optional(),
  },
}) {}

const key = { book: "b", id: "1" } as const;
const rowKey = { partitionKey: "b", rowKey: "1" } as const;

test("T19: null is stored as the text null, and undefined removes the column", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Note]);
  const context = new TableContext(storage);
  const note = context.create(Note, { ...key, extra: null, maybe: null });
  await context.saveChanges();

  expect(await storage.get("Notes", rowKey)).toMatchObject({ extra: "null", maybe: "null" });
  const reader = new TableContext(storage);
  const read = await reader.find(Note, key);
  expect(read).toMatchObject({ extra: null, maybe: null });
  expect(reader.pendingChanges()).toEqual([]);

  note.extra = { n: 1 };
  await context.saveChanges();
  note.extra = null;
  expect(context.pendingChanges()).toMatchObject([{ assigned: ["extra"], cleared: [] }]);
  await context.saveChanges();
  note.maybe = undefined;
  expect(context.pendingChanges()).toMatchObject([{ assigned: [], cleared: ["maybe"] }]);
  await context.saveChanges();

  const row = await storage.get("Notes", rowKey);
  expect(row).toHaveProperty("extra", "null");
  expect(row).not.toHaveProperty("maybe");
});

test("of other properties, null is the absence of a value", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Note]);
  const context = new TableContext(storage);
  const note = context.create(Note, { ...key, extra: null, title: "x" });
  await context.saveChanges();

  note.title = null as never;
  await context.saveChanges();

  expect(await storage.get("Notes", rowKey)).not.toHaveProperty("title");
});

test("plain data has null where JSON has it", async () => {
  const note = new Note({ ...key, extra: null, maybe: null });

  const plain = toPlain(note);

  expect(plain).toMatchObject({ extra: null, maybe: null });
  expect(fromPlain(Note, plain)).toEqual(note);
});

test.each([
  ["a Date", { lines: [{ on: 1 }, { on: new Date(0) }] }, "extra.lines[1].on"],
  ["a Map", { map: new Map() }, "extra.map"],
  ["a bigint", { a: { b: [1n] } }, "extra.a.b[0]"],
  ["a function", { run: () => 1 }, "extra.run"],
  ["NaN", Number.NaN, "extra"],
])("T20: %s inside of JSON is refused with its path", async (_what, extra, path) => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Note]);
  const context = new TableContext(storage);
  context.create(Note, { ...key, extra: extra as never });

  await expect(context.saveChanges()).rejects.toMatchObject({
    results: [{ error: { code: "edm.conversion-failed", details: { property: path } } }],
  });
});
