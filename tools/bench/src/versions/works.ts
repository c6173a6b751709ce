import type * as core from "@partita/core";
import type { TableStorage } from "@partita/core";

/** The front door of a checkout; its types are taken to be those of this one. */
export type Core = typeof core;

const sizes = [1, 100] as const;
const storages = ["over memory", "over a storage that only acknowledges"] as const;

const nameOf = (size: number, storage: string): string => `save ${size} changed of ${size}, ${storage}`;

/** The kinds of saves that are compared. The storage that only acknowledges shows small differences best. */
export const worksNames: readonly string[] = storages.flatMap((storage) =>
  sizes.map((size) => nameOf(size, storage)),
);

/** One save of each kind, by its name. */
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
