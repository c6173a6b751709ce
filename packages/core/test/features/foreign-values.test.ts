import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import {
  createTables,
  dateTime,
  defineEntity,
  double,
  int64,
  json,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { StoredEntity } from "../../src/storage.ts";
import { add, upgrades } from "../../src/upgrades.ts";
import { upgradeTable } from "@partita/maintenance";

class Price extends defineEntity({
  table: "Prices",
  partitionKey: { p: text() },
  rowKey: { id: text() },
  properties: { price: double(), views: int64(), note: text().optional() },
}) {}

async function stored(...rows: readonly Readonly<Record<string, string | number>>[]): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Price]);
  for (const [i, row] of rows.entries())
    await storage.write("Prices", {
      type: "insert",
      entity: { PartitionKey: "p", RowKey: String(i), ...row },
    });
  return storage;
}

const rowOf = (storage: TableStorage, rowKey = "0"): Promise<StoredEntity | undefined> =>
  storage.get("Prices", { partitionKey: "p", rowKey });

describe("a number that a JavaScript client has written back as Int32", () => {
  const foreign = { price: 5, views: 7 };

  test("is read as Double and as Int64, is no change, and keeps its type with the whole row", async () => {
    const storage = await stored(foreign);
    const context = new TableContext(storage);
    const price = (await context.find(Price, { p: "p", id: "0" })) as Price;
    expect(price).toMatchObject({ price: 5, views: 7n });
    expect(context.pendingChanges()).toEqual([]);

    price.note = "touched";
    await context.saveChanges({ update: "replace" });

    const row = await rowOf(storage);
    expect(row).toMatchObject({ ...foreign, note: "touched" });
    expect(row).not.toHaveProperty("price@odata.type");
    expect(row).not.toHaveProperty("views@odata.type");
  });

  test("is written as the declared type once it is edited", async () => {
    const storage = await stored(foreign);
    const context = new TableContext(storage);
    const price = (await context.find(Price, { p: "p", id: "0" })) as Price;
    Object.assign(price, { price: 6, views: 8n });
    await context.saveChanges();

    expect(await rowOf(storage)).toMatchObject({
      "price@odata.type": "Edm.Double",
      price: 6,
      "views@odata.type": "Edm.Int64",
      views: "8",
    });
  });
});

describe("JSON that cannot be printed again", () => {
  class Doc extends defineEntity({
    table: "Prices",
    partitionKey: { p: text() },
    rowKey: { id: text() },
    properties: { data: json<unknown>(), note: text().optional() },
  }) {}
  const deep = "[".repeat(5000) + "]".repeat(5000);

  test.each([
    ["a number beyond Double", '{"a":1e999}'],
    ["5,000 levels", deep],
  ])("%s is no change, and hinders no save of another entity; an edit of it is one", async (_name, data) => {
    const storage = await stored({ data }, { data: "{}" });
    const context = new TableContext(storage);
    const [odd, other] = (await context.query(Doc).where({ p: "p" }).toArray()) as [Doc, Doc];
    expect(context.pendingChanges()).toEqual([]);

    other.note = "changed";
    expect(await context.saveChanges()).toMatchObject([{ operation: "merge", outcome: "committed" }]);
    odd.note = "changed";
    expect(await context.saveChanges({ update: "replace" })).toMatchObject([{ outcome: "committed" }]);
    expect((await rowOf(storage))?.["data"]).toBe(data);

    if (Array.isArray(odd.data)) odd.data.push(1);
    else (odd.data as { b?: number }).b = 1;
    expect(context.pendingChanges()).toHaveLength(1);
  });
});

describe("a version that an older client stored as Int64", () => {
  class Order extends defineEntity({
    table: "Prices",
    partitionKey: { p: text() },
    rowKey: { id: text() },
    properties: { size: double().optional(), added: text() },
    version: upgrades({ size: double().optional() }).to(2, add("added", text(), "later")),
  }) {}
  const versioned = (number: number) => ({
    "SchemaVersion@odata.type": "Edm.Int64",
    SchemaVersion: String(number),
  });

  test("is read as a version, of the present, of an older and of a newer row", async () => {
    const storage = await stored(
      { ...versioned(1), size: 1 },
      { ...versioned(2), added: "own" },
      { ...versioned(3), added: "newer" },
    );
    const context = new TableContext(storage);
    const orders = (await context.query(Order).where({ p: "p" }).toArray()) as [Order, Order, Order];
    expect(orders.map(({ added }) => added)).toEqual(["later", "own", "newer"]);
    expect(context.pendingChanges()).toEqual([]);

    for (const order of orders.slice(0, 2)) order.size = 9;
    await context.saveChanges();

    expect(await rowOf(storage, "0")).toMatchObject({ SchemaVersion: 2, added: "later", size: 9 });
    expect(await rowOf(storage, "0")).not.toHaveProperty("SchemaVersion@odata.type");
    expect(await rowOf(storage, "1")).toMatchObject({ ...versioned(2), added: "own" });
    orders[2].size = 9;
    await expect(context.saveChanges()).rejects.toMatchObject({
      results: [{ error: { code: "entity.newer-version" } }],
    });
  });

  test("is upgraded with its whole table, and counted", async () => {
    const storage = await stored(
      { ...versioned(1), size: 1 },
      { SchemaVersion: 1, size: 2 },
      { ...versioned(2), added: "own" },
    );

    const report = await upgradeTable(storage, [Order]);

    expect(report).toMatchObject({ isClean: true });
    expect(await rowOf(storage, "0")).toMatchObject({ SchemaVersion: 2, added: "later" });
    expect(await new TableContext(storage).query(Order).where({ p: "p", added: "later" }).count()).toBe(2);
  });
});

test("a Date of another realm is a Date: as a value, and as an unchanged one", async () => {
  class Event extends defineEntity({
    table: "Prices",
    partitionKey: { p: text() },
    rowKey: { id: text() },
    properties: { at: dateTime() },
  }) {}
  const storage = await stored();
  const context = new TableContext(storage);
  const foreignDate = (ms: number): Date => runInNewContext(`new Date(${ms})`) as Date;
  expect(foreignDate(5)).not.toBeInstanceOf(Date);

  const event = context.create(Event, { p: "p", id: "0", at: foreignDate(5) });
  await context.saveChanges();
  expect(await rowOf(storage)).toMatchObject({ at: "1970-01-01T00:00:00.005Z" });
  event.at = foreignDate(5);
  expect(context.pendingChanges()).toEqual([]);
  event.at = foreignDate(6);
  await context.saveChanges();
  expect(await rowOf(storage)).toMatchObject({ at: "1970-01-01T00:00:00.006Z" });

  context.create(Event, { p: "p", id: "1", at: { getTime: () => 5 } as Date });
  await expect(context.saveChanges()).rejects.toMatchObject({ code: "save.invalid" });
});
