import { withFaults } from "@partita/testing";
import { beforeEach, expect, test } from "vitest";
import {
  ConflictError,
  createTables,
  defineEntity,
  int32,
  ModelError,
  openStorage,
  SaveError,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { constant, month, newestFirst, padded, week } from "@partita/core/keys";
import type { StoredEntity } from "@partita/core/storage";

const post = {
  rowKey: { postedOn: newestFirst },
  properties: { text: text(), likes: int32().optional() },
} as const;

class PostByMonth extends defineEntity({
  ...post,
  table: "Posts",
  partitionKey: { channel: text(), postedOn: month(newestFirst) },
}) {}

class Post extends defineEntity({
  ...post,
  table: "Posts",
  partitionKey: { channel: text(), postedOn: week(newestFirst) },
  formerKeys: PostByMonth,
}) {}

const key = { channel: "c9", postedOn: new Date("2026-11-25T10:00:00Z") };

let storage: TableStorage;
beforeEach(async () => {
  storage = await openStorage("memory:");
  await createTables(storage, [PostByMonth]);
});

async function stored(table = "Posts"): Promise<StoredEntity[]> {
  return [...(await storage.query(table, {})).entities];
}

async function storeOld(values: Partial<PostByMonth> = {}): Promise<void> {
  const context = new TableContext(storage);
  context.create(PostByMonth, { ...key, text: "Hello", ...values });
  await context.saveChanges();
}

test("finds an entity by its former key, with its present class", async () => {
  await storeOld();

  const found = await new TableContext(storage).find(Post, key);

  expect(found).toBeInstanceOf(Post);
  expect(found).toMatchObject({ ...key, text: "Hello" });
});

test("a save moves an entity that was read by its former key", async () => {
  await storeOld({ likes: 1 });
  const [before] = await stored();
  const context = new TableContext(storage);
  const found = (await context.find(Post, key)) as Post;
  found.text = "Changed";

  const [result] = await context.saveChanges();

  const rows = await stored();
  expect(result?.outcome).toBe("committed");
  expect(rows).toMatchObject([{ text: "Changed", likes: 1 }]);
  expect(rows[0]?.PartitionKey).not.toBe(before?.PartitionKey);
  found.text = "Again";
  await context.saveChanges();
  expect(await stored()).toMatchObject([{ text: "Again" }]);
});

test("a change of the row under its former key is a conflict, and the next attempt sees it", async () => {
  await storeOld();
  const context = new TableContext(storage);
  const found = (await context.find(Post, key)) as Post;
  await new TableContext(storage).modify(PostByMonth, key, (old) => void (old.likes = 5));
  found.text = "Changed";

  const error = (await context.saveChanges().catch((thrown: unknown) => thrown)) as SaveError;

  expect(error).toBeInstanceOf(SaveError);
  expect(error.conflicts[0]?.error).toBeInstanceOf(ConflictError);
  await context.reload(found);
  expect(found).toMatchObject({ text: "Hello", likes: 5 });
  found.text = "Changed";
  await context.saveChanges();
  expect(await stored()).toMatchObject([{ text: "Changed", likes: 5 }]);
});

test("modify and findMany find by both keys", async () => {
  await storeOld();
  const other = { channel: "c9", postedOn: new Date("2026-11-02T10:00:00Z") };
  const context = new TableContext(storage);
  context.create(Post, { ...other, text: "New" });
  await context.saveChanges();

  const modified = await new TableContext(storage).modify(Post, key, (found) => void (found.likes = 2));
  const found = await new TableContext(storage).findMany(Post, [key, other]);

  expect(modified).toMatchObject({ text: "Hello", likes: 2 });
  expect(found).toMatchObject([{ text: "Hello", likes: 2 }, { text: "New" }]);
  expect(await stored()).toHaveLength(2);
});

test("a program that knows only the former key doesn't find what was moved", async () => {
  await storeOld();
  await new TableContext(storage).modify(Post, key, (found) => void (found.likes = 2));

  expect(await new TableContext(storage).find(PostByMonth, key)).toBeUndefined();
});

test("removing an entity that was read by its former key leaves no row", async () => {
  await storeOld();
  const context = new TableContext(storage);
  context.remove((await context.find(Post, key)) as Post);

  await context.saveChanges();

  expect(await stored()).toEqual([]);
  expect(await new TableContext(storage).find(Post, key)).toBeUndefined();
});

test("creating an entity whose former row is stored is a conflict, and the row is kept", async () => {
  await storeOld();
  const context = new TableContext(storage);
  context.create(Post, { ...key, text: "Second" });

  const error = (await context.saveChanges().catch((thrown: unknown) => thrown)) as SaveError;

  expect(error.conflicts[0]?.error).toMatchObject({ reason: "exists" });
  expect(await stored()).toMatchObject([{ text: "Hello" }]);
});

test("attaching and upserting write over the moved row", async () => {
  await storeOld({ likes: 1 });
  const context = new TableContext(storage);
  context.upsert(Object.assign(new Post(), { ...key, text: "Merged" }), "merge");

  await context.saveChanges();

  expect(await stored()).toMatchObject([{ text: "Merged", likes: 1 }]);
});

test("undeclared properties are moved with the row, in every digit", async () => {
  await storeOld();
  const [row] = await stored();
  await storage.write("Posts", {
    type: "merge",
    entity: {
      PartitionKey: row?.PartitionKey as string,
      RowKey: row?.RowKey as string,
      "Old@odata.type": "Edm.Int64",
      Old: "9007199254740993",
    },
    etag: "*",
  });

  await new TableContext(storage).modify(Post, key, (found) => void (found.likes = 2));

  expect(await stored()).toMatchObject([{ Old: "9007199254740993", text: "Hello", likes: 2 }]);
});

test("a save whose requests lose their responses stores the change once, at the latest when it is called again", async () => {
  for (let lost = 1; lost <= 9; lost++)
    for (const fault of ["reset-after", "reset-before"] as const) {
      storage = await openStorage("memory:");
      await createTables(storage, [PostByMonth]);
      await storeOld({ likes: 1 });
      const flaky = withFaults(storage, ({ number }) => (number === lost ? fault : undefined));
      const context = new TableContext(flaky, { retry: { attempts: 1, delayMs: 0 } });
      const found = await context.find(Post, key).catch(() => undefined);
      if (found === undefined) continue;
      found.likes = (found.likes ?? 0) + 1;

      const error: unknown = await context.saveChanges().catch((thrown: unknown) => thrown);
      const likes = (await new TableContext(storage).find(Post, key))?.likes;
      const outcome = error instanceof SaveError ? error.results[0]?.outcome : "committed";
      // Of a change whose outcome is unknown, either may be stored.
      const expected = { committed: 2, rejected: 1, unknown: likes }[outcome as "unknown"];
      expect([outcome, likes]).toEqual([outcome, expected]);
      if (error instanceof SaveError) {
        await context.reload(found);
        found.likes = 2;
        await context.saveChanges();
      }

      expect(await stored()).toMatchObject([{ text: "Hello", likes: 2 }]);
    }
});

class Numbered extends defineEntity({
  table: "Numbered",
  partitionKey: { shop: text() },
  rowKey: { id: padded(5) },
  properties: { name: text(), email: text() },
  indexes: {
    byName: { rowKey: { by: constant("N:"), name: text() } },
    byEmail: { rowKey: { by: constant("E:"), email: text() }, unique: true },
  },
}) {}

class Renumbered extends defineEntity({
  table: "Numbered",
  partitionKey: { shop: text() },
  rowKey: { kind: constant("P:"), name: text(), id: padded(8) },
  properties: { email: text() },
  indexes: { byEmail: { rowKey: { by: constant("E:"), email: text() }, unique: true } },
  formerKeys: Numbered,
}) {}

test("within a partition a row and its index rows move in one transaction, and a property becomes a key part", async () => {
  await createTables(storage, [Numbered]);
  const old = new TableContext(storage);
  old.create(Numbered, { shop: "s", id: 7, name: "Ann", email: "a@x" });
  await old.saveChanges();
  const context = new TableContext(storage);
  const found = (await context.find(Renumbered, { shop: "s", id: 7, name: "Ann" })) as Renumbered;
  found.email = "b@x";

  await context.saveChanges();

  const rows = await stored("Numbered");
  expect(rows.map(({ RowKey }) => RowKey)).toEqual(["E:_b@x", "P:_Ann_00000007"]);
  expect(rows[1]).toMatchObject({ email: "b@x" });
  expect(rows[1]).not.toHaveProperty("name");
});

test("a row that belongs under another present key is neither found nor moved", async () => {
  await createTables(storage, [Numbered]);
  const old = new TableContext(storage);
  old.create(Numbered, { shop: "s", id: 7, name: "Ann", email: "a@x" });
  await old.saveChanges();
  const context = new TableContext(storage);
  const other = { shop: "s", id: 7, name: "Bob" };

  expect(await context.find(Renumbered, other)).toBeUndefined();
  context.create(Renumbered, { ...other, email: "c@x" });
  await context.saveChanges();

  const rows = await stored("Numbered");
  expect(rows.map(({ RowKey }) => RowKey)).toEqual([
    "00007",
    "E:_a@x",
    "E:_c@x",
    "N:_Ann_00007",
    "P:_Bob_00000007",
  ]);
});

test("refuses former keys that rows can't be found by", async () => {
  class Wrong extends defineEntity({
    ...post,
    table: "Posts",
    partitionKey: { channel: text() },
    formerKeys: Numbered,
  }) {}
  class Same extends defineEntity({
    ...post,
    table: "Posts",
    partitionKey: { channel: text(), postedOn: month(newestFirst) },
    formerKeys: PostByMonth,
  }) {}

  class Any extends defineEntity({
    table: "Posts",
    partitionKey: { channel: text() },
    rowKey: { postedOn: text() },
    properties: {},
    formerKeys: class extends defineEntity({
      table: "Posts",
      partitionKey: { postedOn: text() },
      rowKey: { channel: text() },
      properties: {},
    }) {},
  }) {}

  for (const [Class, sentence, wanted] of [
    [Any, /any text is a valid key/, { channel: "c", postedOn: "1" }],
    [Wrong, /and its key has "shop"/, key],
    [Same, /same keys in the same table/, key],
  ] as const) {
    const error = await new TableContext(storage)
      .find(Class as typeof Post, wanted as never)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ code: "model.former-keys" });
    expect((error as Error).message).toMatch(sentence);
  }
});
