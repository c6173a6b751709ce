import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  StorageError,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import { constant, padded } from "../../src/keys.ts";

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { stars: int32() },
  indexes: { byStars: { rowKey: { stars: constant("STARS:", padded(3)) } } },
}) {}
class Note extends defineEntity({
  table: "Notes",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: {},
}) {}

/** Counts creations of tables. */
async function counted(): Promise<{ readonly storage: TableStorage; readonly created: string[] }> {
  const storage = await openStorage("memory:");
  const created: string[] = [];
  const create = storage.createTable.bind(storage);
  storage.createTable = async (table, options) => {
    await create(table, options);
    created.push(table);
  };
  return { storage, created };
}

const blog = (channel: string): Blog => Object.assign(new Blog(), { channel, id: "1", stars: 3 });

test("a save creates the missing table once, with its indexes, and is then stored", async () => {
  const { storage, created } = await counted();
  const context = new TableContext(storage, { createTables: [Blog, Note] });
  for (let i = 0; i < 20; i++) context.add(blog(`c${i}`));

  await context.saveChanges();

  expect(created.filter((table) => table !== "PartitaSchema")).toEqual(["Blogs"]);
  const other = new TableContext(storage);
  const query = other.query(Blog).where({ channel: "c1", stars: 3 });
  expect(await query.toArray()).toHaveLength(1);
  expect(query.explain().index).toBe("byStars");
});

test("reads of a missing table create it, and find nothing", async () => {
  const { storage, created } = await counted();
  const context = new TableContext(storage, { createTables: [Note] });

  expect(await context.find(Note, { channel: "c", id: "1" })).toBeUndefined();
  expect(await context.query(Note).scan().toArray()).toEqual([]);
  expect(created).toEqual(["Notes"]);
});

test("without the option, and for other classes, a missing table stays an error", async () => {
  const { storage, created } = await counted();
  for (const options of [{}, { createTables: [Note] }]) {
    const context = new TableContext(storage, options);
    context.add(blog("c"));
    await expect(context.saveChanges()).rejects.toMatchObject({ code: expect.any(String) as string });
  }
  expect(created).toEqual([]);
});

test("a table that can't be created is the error, and nothing is stored", async () => {
  const { storage } = await counted();
  storage.createTable = () =>
    Promise.reject(new StorageError("storage.read-only", "The storage is read-only.", { applied: "no" }));
  const context = new TableContext(storage, { createTables: [Note] });

  await expect(context.query(Note).scan().toArray()).rejects.toMatchObject({ code: "storage.read-only" });
});

test("a table that is deleted later is created again", async () => {
  const { storage, created } = await counted();
  await createTables(storage, [Note]);
  const context = new TableContext(storage, { createTables: [Note] });
  await storage.deleteTable("Notes");
  context.add(Object.assign(new Note(), { channel: "c", id: "1" }));

  await context.saveChanges();

  expect(created).toEqual(["Notes", "Notes"]);
});

test("a list of anything but classes is refused", async () => {
  const { storage } = await counted();
  expect(() => new TableContext(storage, { createTables: true } as object)).toThrow(
    expect.objectContaining({ code: "context.option" }) as Error,
  );
});
