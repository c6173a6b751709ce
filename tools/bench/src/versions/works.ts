import type * as core from "@partita/core";
import type { TableStorage } from "@partita/core";

/** The main entry of a checkout. Its types are assumed to be those of this one. */
export type Core = typeof core;

const sizes = [1, 100] as const;
const storages = ["over memory", "over a storage that only acknowledges"] as const;

const nameOf = (size: number, storage: string): string => `save ${size} changed of ${size}, ${storage}`;
const reads = [
  "find over memory",
  "query of 100 over memory",
  "insert 100, over a storage that only acknowledges",
] as const;

/** The compared work. A storage that only acknowledges shows small differences best. */
export const worksNames: readonly string[] = [
  ...storages.flatMap((storage) => sizes.map((size) => nameOf(size, storage))),
  ...reads,
];

/** One piece of work of each kind, by name. */
export async function worksOf({
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  text,
}: Core): Promise<ReadonlyMap<string, () => Promise<void>>> {
  class Note extends defineEntity({
    table: "Notes",
    partitionKey: { book: text() },
    rowKey: { id: text() },
    properties: { title: text(), body: text(), pages: int32(), likes: int32() },
  }) {}
  const memory = await openStorage("memory:");
  await createTables(memory, [Note]);
  const works = new Map<string, () => Promise<void>>();
  for (const storage of storages)
    for (const size of sizes) {
      const context = new TableContext(storage === "over memory" ? memory : acknowledging);
      const book = nameOf(size, storage);
      const notes = Array.from({ length: size }, (_, i) =>
        context.create(Note, { book, id: String(i), title: `Title ${i}`, body: "Body", pages: i, likes: 0 }),
      );
      await context.saveChanges();
      works.set(book, async () => {
        for (const note of notes) note.likes++;
        const results = await context.saveChanges();
        if (results.length !== size) throw new Error(`${results.length} of ${size} entities were saved.`);
      });
    }
  const [find, query, insert] = reads;
  const stored = nameOf(100, "over memory");
  works.set(find, async () => {
    const note = await new TableContext(memory).find(Note, { book: stored, id: "7" });
    if (note === undefined) throw new Error("The note was not found.");
  });
  works.set(query, async () => {
    const notes = await new TableContext(memory).query(Note).where({ book: stored }).toArray();
    if (notes.length !== 100) throw new Error(`${notes.length} notes were found.`);
  });
  works.set(insert, async () => {
    const context = new TableContext(acknowledging);
    for (let i = 0; i < 100; i++)
      context.create(Note, {
        book: "new",
        id: String(i),
        title: `Title ${i}`,
        body: "Body",
        pages: i,
        likes: 0,
      });
    await context.saveChanges();
  });
  return works;
}

/** Acknowledges every write and stores nothing. */
const acknowledging: TableStorage = {
  description: "acknowledging:",
  query: () => Promise.resolve({ entities: [] }),
  get: () => Promise.resolve(undefined),
  write: () => Promise.resolve({ etag: 'W/"1"' }),
  transact: (_table, operations) => Promise.resolve(operations.map(() => ({ etag: 'W/"1"' }))),
  createTable: () => Promise.resolve(),
  deleteTable: () => Promise.resolve(),
  listTables: () => Promise.resolve([]),
  close: () => Promise.resolve(),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};
