import { expect, test } from "vitest";
import {
  binary,
  createTables,
  defineEntity,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { StoredEntity } from "../../src/storage.ts";

// Rows of one kind are read from their bytes where they begin with its name; whatever else a row looks like, the filter decides.

const inTable = { table: "Posts", partitionKey: { blog: text() } } as const;

class Post extends defineEntity({
  ...inTable,
  kind: "post",
  rowKey: { id: text() },
  properties: { title: text().named("Title"), image: binary().optional(), thumb: binary().optional() },
}) {}

class Comment extends defineEntity({
  ...inTable,
  kind: "post-comment",
  rowKey: { n: text() },
  properties: { title: text().named("Title") },
}) {}

const bytes = (length: number, first: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 7 + first) % 256);

async function withRows(...rows: readonly Partial<StoredEntity>[]): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Post]);
  for (const [i, row] of rows.entries()) {
    const entity = { PartitionKey: "b", RowKey: String(i), ...row } as StoredEntity;
    await storage.write("Posts", { type: "insert", entity });
  }
  return storage;
}

const titles = async (storage: TableStorage): Promise<string[]> =>
  (await new TableContext(storage).query(Post).where({ blog: "b" }).mergeOption("noTracking").toArray()).map(
    ({ title }) => title,
  );

test("only rows of the kind are read, wherever in a row its name stands", async () => {
  await using storage = await withRows(
    { Kind: "post", Title: "first member" },
    { Title: "last member", Kind: "post" },
    { Kind: "post-comment", Title: "another kind that begins alike" },
    { Title: '{"Kind":"post",', Kind: "postscript" },
    { KindOf: "post", Title: "another property that begins alike", Kind: "none" },
    { "Kind@odata.type": "Edm.Binary", Kind: "post", Title: "a kind that is no text" },
    { Title: "no kind" },
    { Kind: "post", Title: "first member again" },
  );

  expect(await titles(storage)).toEqual(["first member", "last member", "first member again"]);
});

test("long rows with bytes are read from their bytes as they were written, tracked and not", async () => {
  await using storage = await withRows();
  const context = new TableContext(storage);
  const lengths = [0, 1, 149, 150, 151, 300, 49_151, 65_536];
  for (const [n, length] of lengths.entries()) {
    const id = String(n).padStart(2, "0");
    context.create(Post, { blog: "b", id, title: id, image: bytes(length, n), thumb: bytes(65_536, n) });
    context.create(Comment, { blog: "b", n: `c${id}`, title: id });
  }
  await context.saveChanges();
  for (const mergeOption of ["noTracking", "appendOnly"] as const)
    // More than once: rows are scanned after some of their class were parsed.
    for (let round = 0; round < 3; round++) {
      const query = new TableContext(storage).query(Post).where({ blog: "b" }).mergeOption(mergeOption);
      const posts = await query.toArray();
      expect(posts.map(({ image, thumb }) => [image?.byteLength, thumb?.byteLength])).toEqual(
        lengths.map((length) => [length, 65_536]),
      );
      for (const [n, { image, thumb }] of posts.entries()) {
        expect(image).toEqual(bytes(lengths[n] as number, n));
        expect(thumb).toEqual(bytes(65_536, n));
      }
    }
});
