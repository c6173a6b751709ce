import { beforeEach, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { constant, padded } from "@partita/core/keys";
import type { StoredEntity } from "@partita/core/storage";
import { add, upgrades } from "@partita/core/upgrades";
import { type MoveProgress, moveRows, verifyIndex } from "../../src/index.ts";
import { keyOf, Post, PostByMonth } from "./feeds.ts";

let storage: TableStorage;
beforeEach(async () => {
  storage = await openStorage("memory:");
  await createTables(storage, [PostByMonth]);
});

const total = 250;

async function fill(): Promise<void> {
  const context = new TableContext(storage);
  for (let n = 0; n < total; n++) context.create(PostByMonth, { ...keyOf(n), text: `post ${n}` });
  await context.saveChanges();
}

const rows = async (table = "Posts"): Promise<StoredEntity[]> => {
  const all: StoredEntity[] = [];
  for (let page = await storage.query(table, {}); ; page = await storage.query(table, { after: page.next })) {
    all.push(...page.entities);
    if (page.next === undefined) return all;
  }
};

test("moves every row to its new key, and tells how far it is", async () => {
  await fill();
  const seen: MoveProgress[] = [];

  const report = await moveRows(storage, PostByMonth, Post, {
    onProgress: (progress) => seen.push(progress),
  });

  expect(report).toMatchObject({ table: "Posts", moved: total, changed: 0, leftCount: 0, isClean: true });
  const stored = await rows();
  expect(stored).toHaveLength(total);
  const found = await new TableContext(storage).findMany(
    Post,
    Array.from({ length: total }, (_, n) => keyOf(n)),
  );
  expect(found.map((post) => post?.text)).toEqual(Array.from({ length: total }, (_, n) => `post ${n}`));
  expect(stored.every((row) => row["_row"] === undefined)).toBe(true);
  expect([...new Set(seen.map(({ phase }) => phase))]).toEqual(["move", "verify"]);
  expect(await moveRows(storage, PostByMonth, Post)).toMatchObject({ moved: 0, isClean: true });
});

test("a dry run counts the rows to move, and writes nothing", async () => {
  await fill();
  const before = await rows();

  const report = await moveRows(storage, PostByMonth, Post, { dryRun: true });

  expect(report).toMatchObject({ isDryRun: true, moved: total, isClean: false });
  expect(await rows()).toEqual(before);
  expect(await storage.listTables()).toEqual(["Posts"]);
});

test("goes on with rows that a worker left in between, and drops reservations that nobody needs", async () => {
  await fill();
  const [first, second] = await rows();
  const mark = { type: "merge", entity: { ...keys(first), _row: "moved" }, etag: "*" } as const;
  await storage.write("Posts", mark);
  const reserved = { PartitionKey: "c1_x", RowKey: "1", _row: "reserved" };
  await storage.write("Posts", { type: "insert", entity: reserved });
  expect(second).toBeDefined();

  const report = await moveRows(storage, PostByMonth, Post);

  expect(report).toMatchObject({ moved: total, isClean: true });
  expect(await rows()).toHaveLength(total);
});

const keys = (row: StoredEntity | undefined) => ({
  PartitionKey: row?.PartitionKey as string,
  RowKey: row?.RowKey as string,
});

test("leaves rows whose new key has an entity of its own, and says so", async () => {
  await fill();
  const [first] = await rows();
  await new TableContext(storage).modify(Post, keyOf(0), (post) => void (post.new = 1));
  const before = (await rows()).length;
  const old = new TableContext(storage);
  old.create(PostByMonth, { ...keyOf(0), text: "created again by an old release" });
  await old.saveChanges();

  const report = await moveRows(storage, PostByMonth, Post);

  expect(first).toBeDefined();
  expect(report).toMatchObject({ moved: total - 1, leftCount: 1, isClean: false });
  expect(report.left).toMatchObject([{ reason: { code: "conflict.exists" } }]);
  expect(await rows()).toHaveLength(before + 1);
});

class Person extends defineEntity({
  table: "People",
  partitionKey: { country: text() },
  rowKey: { id: padded(4) },
  properties: { name: text(), email: text(), age: int32() },
  version: upgrades({ name: text(), email: text() }).to(2, add("age", int32(), 18)),
  indexes: {
    byName: { rowKey: { by: constant("N:"), name: text() } },
    byEmail: { rowKey: { by: constant("E:"), email: text() }, unique: true },
  },
}) {}

class Citizen extends defineEntity({
  table: "Citizens",
  partitionKey: { country: text(), decade: padded(2) },
  rowKey: { id: padded(4) },
  properties: { name: text(), email: text(), age: int32() },
  version: upgrades({ name: text(), email: text() }).to(2, add("age", int32(), 18)),
  indexes: { byEmail: { rowKey: { by: constant("E:"), email: text() }, unique: true } },
}) {}

test("moves to another table by a function: index rows, older versions and undeclared properties included", async () => {
  await createTables(storage, [Person, Citizen]);
  const context = new TableContext(storage);
  for (let id = 0; id < 120; id++)
    context.create(Person, { country: "BR", id, name: `n${id}`, email: `${id}@x`, age: id });
  await context.saveChanges();
  await storage.write("People", {
    type: "insert",
    entity: {
      PartitionKey: "BR",
      RowKey: "0900",
      name: "old",
      email: "old@x",
      "Big@odata.type": "Edm.Int64",
      Big: "9007199254740993",
    },
  });

  const report = await moveRows(storage, Person, Citizen, {
    key: ({ country, id, age }) => ({ country, id, decade: Math.floor(age / 10) }),
  });

  expect(report.left).toEqual([]);
  expect(report).toMatchObject({ moved: 121, leftCount: 0, isClean: true });
  expect(await rows("People")).toEqual([]);
  const moved = await rows("Citizens");
  expect(moved).toHaveLength(242);
  expect(moved.find(({ RowKey }) => RowKey === "0900")).toMatchObject({
    PartitionKey: "BR_01",
    Big: "9007199254740993",
  });
  expect(moved.find(({ RowKey }) => RowKey === "0900")).not.toHaveProperty("SchemaVersion");
  expect(await verifyIndex(storage, Citizen, "byEmail")).toMatchObject({ isClean: true, missing: 0 });
});

class Place extends defineEntity({
  table: "Places",
  partitionKey: { country: text() },
  rowKey: {},
  properties: { name: text() },
}) {}
class City extends defineKind(Place, { kind: { name: "City", key: "prefix" }, rowKey: { id: padded(3) } }) {}
class Lake extends defineKind(Place, {
  kind: "Lake",
  rowKey: { id: text() },
  properties: { depth: int32() },
}) {}

class WidePlace extends defineEntity({
  table: "Places",
  partitionKey: { world: constant("W"), country: text() },
  rowKey: {},
  properties: { name: text() },
  formerKeys: Place,
}) {}
class WideCity extends defineKind(WidePlace, {
  kind: { name: "City", key: "prefix" },
  rowKey: { id: padded(6) },
}) {}
class WideLake extends defineKind(WidePlace, {
  kind: "Lake",
  rowKey: { id: text() },
  properties: { depth: int32() },
}) {}

test("moves every kind to the kind of the same name", async () => {
  await createTables(storage, [Place]);
  const context = new TableContext(storage);
  context.create(City, { country: "BR", id: 7, name: "Rio" });
  context.create(Lake, { country: "BR", id: "big", name: "Big", depth: 9 });
  await context.saveChanges();
  const reader = new TableContext(storage);
  expect(await reader.find(WideCity, { country: "BR", id: 7 })).toMatchObject({ name: "Rio" });
  expect(await reader.find(WideLake, { country: "BR", id: "big" })).toMatchObject({ depth: 9 });

  const report = await moveRows(storage, Place, WidePlace);

  expect(report).toMatchObject({ moved: 2, isClean: true });
  expect((await rows("Places")).map(({ PartitionKey, RowKey }) => [PartitionKey, RowKey])).toEqual([
    ["W_BR", "City_000007"],
    ["W_BR", "big"],
  ]);
});

test("rows that have no new key are left as they are", async () => {
  await fill();
  await storage.write("Posts", {
    type: "insert",
    entity: { PartitionKey: "c8_2026", RowKey: "x", text: "no post" },
  });

  const report = await moveRows(storage, PostByMonth, Post, {
    key: ({ channel, postedOn }) => ({ channel: channel === "c9" ? "a/b" : channel, postedOn }),
  });

  expect(report).toMatchObject({ moved: total / 2, leftCount: total / 2, isClean: false });
  expect(report.left[0]?.reason).toMatchObject({ code: "key.forbidden-character" });
});
