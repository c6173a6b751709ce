import { countedReads } from "@partita/test-support/counted-reads";
import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  type EntityClass,
  int32,
  openStorage,
  owned,
  type Query,
  TableContext,
  text,
} from "../../src/index.ts";
import { constant, padded } from "../../src/keys.ts";
import { rename, upgrades } from "../../src/upgrades.ts";

const keys = { partitionKey: { of: text() }, rowKey: { id: text() } } as const;
const long = "x".repeat(1000);

class Plain extends defineEntity({
  table: "Rows",
  ...keys,
  properties: { body: text(), size: int32().default(0) },
}) {}

class Indexed extends defineEntity({
  table: "Rows",
  ...keys,
  properties: { body: text(), size: int32().default(0) },
  indexes: { bySize: { rowKey: { size: constant("SIZE:", padded(6)) } } },
}) {}

/** Stores two rows by the class and removes them with what is counted. */
async function removed<Entity extends object>(
  entityClass: EntityClass<Entity>,
  narrow: (query: Query<Entity>) => Query<Entity> = (query) => query,
): Promise<{ bytes: number; left: number }> {
  await using storage = await openStorage("memory:");
  await createTables(storage, [entityClass]);
  const setting = new TableContext(storage);
  for (const id of ["1", "2"])
    setting.create(entityClass as EntityClass, { of: "x", id, body: long } as never);
  await setting.saveChanges();
  const counted = countedReads(storage);
  await narrow(new TableContext(counted.storage).query(entityClass).where({ of: "x" } as never)).removeAll();
  const { entities } = await storage.query("Rows", {});
  return { bytes: counted.bytes, left: entities.length };
}

test("keys and ETags alone are read of classes that need no more", async () => {
  const { bytes, left } = await removed(Plain);

  expect(left).toBe(0);
  expect(bytes).toBeLessThan(1000);
});

test("the rows of indexes are removed with the rows of their entities", async () => {
  const { bytes, left } = await removed(Indexed);

  expect(left).toBe(0);
  expect(bytes).toBeGreaterThan(2000);
});

test("a function gets complete entities, and a row that it leaves out stays", async () => {
  const { left } = await removed(Plain, (query) =>
    query.filterInMemory(({ id, body }) => id === "1" && body === long),
  );

  expect(left).toBe(1);
});

test("rows of older versions are removed by what conditions say of their present form", async () => {
  await using storage = await openStorage("memory:");
  class Renamed extends defineEntity({
    table: "Rows",
    ...keys,
    properties: { size: int32().default(0) },
    version: upgrades({ length: int32() }).to(2, rename("length", "size")),
  }) {}
  await createTables(storage, [Renamed]);
  for (const [RowKey, length] of [
    ["a", 1],
    ["b", 2],
  ] as const)
    await storage.write("Rows", { type: "insert", entity: { PartitionKey: "x", RowKey, length } });

  await new TableContext(storage).query(Renamed).where({ of: "x" }).where({ size: 2 }).removeAll();

  expect((await storage.query("Rows", {})).entities.map(({ RowKey }) => RowKey)).toEqual(["a"]);
});

test("other kinds and rows that are no entities stay", async () => {
  await using storage = await openStorage("memory:");
  class Base extends defineEntity({ table: "Rows", ...keys, properties: {} }) {}
  class One extends defineKind(Base, { kind: "One", properties: { body: text() } }) {}
  class Two extends defineKind(Base, { kind: "Two", properties: { body: text() } }) {}
  await createTables(storage, [One, Two]);
  const context = new TableContext(storage);
  context.create(One, { of: "x", id: "1", body: long });
  context.create(Two, { of: "x", id: "2", body: long });
  await context.saveChanges();
  await storage.write("Rows", {
    type: "insert",
    entity: { PartitionKey: "x", RowKey: "3", _row: "index", Kind: "One" },
  });

  expect((await context.query(One).where({ of: "x" }).removeAll()).written).toBe(1);

  expect((await storage.query("Rows", {})).entities.map(({ RowKey }) => RowKey)).toEqual(["2", "3"]);
});

test("with skip, a row that cannot be read stays", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Plain]);
  const context = new TableContext(storage);
  context.create(Plain, { of: "x", id: "1", body: long });
  await context.saveChanges();
  await storage.write("Rows", {
    type: "insert",
    entity: { PartitionKey: "x", RowKey: "2", size: "no number" },
  });

  const progress = await context.query(Plain).where({ of: "x" }).unreadableRows("skip").removeAll();

  expect(progress.written).toBe(1);
  expect((await storage.query("Rows", {})).entities.map(({ RowKey }) => RowKey)).toEqual(["2"]);
});

test("members of owned lists are removed with their parents", async () => {
  await using storage = await openStorage("memory:");
  class Base extends defineEntity({ table: "Rows", ...keys, properties: {} }) {}
  class Order extends defineKind(Base, { kind: "Order", children: { lines: owned(() => Line) } }) {}
  class Line extends defineKind(Base, {
    kind: "Line",
    rowKey: { no: padded(4) },
    properties: { body: text() },
  }) {}
  await createTables(storage, [Order, Line]);
  const context = new TableContext(storage);
  context.create(Order, { of: "x", id: "1" });
  context.create(Line, { of: "x", id: "1", no: 1, body: long });
  await context.saveChanges();

  await new TableContext(storage).query([Order, Line]).where({ of: "x" }).removeAll();

  expect((await storage.query("Rows", {})).entities).toEqual([]);
});

test("updateAll reads complete rows", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Plain]);
  const context = new TableContext(storage);
  context.create(Plain, { of: "x", id: "1", body: long });
  await context.saveChanges();
  const seen: string[] = [];

  await context
    .query(Plain)
    .where({ of: "x" })
    .updateAll(({ body }) => void seen.push(body));

  expect(seen).toEqual([long]);
});
