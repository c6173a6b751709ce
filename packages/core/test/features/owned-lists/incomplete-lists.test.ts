import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  type EntityClass,
  int32,
  openStorage,
  TableContext,
  text,
} from "../../../src/index.ts";
import { owned } from "../../../src/models.ts";
import { findOrder, Line, loadOrder, openNested, Order, storedKeys } from "./nested-classes.ts";

test("a list with a member that cannot be read is not removed as if it were whole", async () => {
  await using storage = await openNested();
  const row = { PartitionKey: "acme", RowKey: "7_3", Kind: "Line", qty: "no number" };
  await storage.write("Nested", { type: "insert", entity: row });
  const context = new TableContext(storage, { unreadableRows: "skip" });
  const order = await loadOrder(context);
  expect(order.lines.map(({ no }) => no)).toEqual(["1", "2"]);

  expect(() => context.remove(order)).toThrow(/removeFamily/);
  expect(context.pendingChanges()).toEqual([]);
});

class Row extends defineEntity({
  table: "Boxes",
  separator: "_",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: {},
}) {}
class Item extends defineKind(Row, {
  kind: "Item",
  rowKey: { no: text() },
  properties: { n: int32().optional() },
}) {}
class Special extends defineKind(Item, { kind: "Special", properties: {} }) {}
class Box extends defineKind(Row, {
  kind: "Box",
  children: {
    items: owned((): EntityClass<Item> => Item),
    specials: owned((): EntityClass<Special> => Special),
  },
}) {}

test("a class and a kind of it cannot be members of two lists", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Box, Item, Special]);
  const context = new TableContext(storage);

  expect(() => context.create(Box, { tenant: "acme", id: "1" })).toThrow(/in two lists, items and specials/);
});

test("clear does not lose what was put into a list and cannot be saved", async () => {
  await using storage = await openNested();
  const context = new TableContext(storage);
  const order = await findOrder(context);
  order.lines.push(new Line({ tenant: "acme", id: "9", no: "1" }));

  expect(() => context.clear()).toThrow(/would lose 1 change/);
});

test("an upserted family is upserted at every depth, and removed as a whole", async () => {
  await using storage = await openNested();
  const context = new TableContext(storage);
  const order = new Order({ tenant: "acme", id: "7" });
  const line = new Line({ tenant: "acme", id: "7", no: "3" });
  order.lines = [line] as never;
  context.upsert(order, "merge");

  const results = await context.saveChanges();

  expect(results.map(({ operation }) => operation)).toEqual(["upsert-merge", "upsert-merge"]);
  expect(() => context.remove(order)).toThrow(/removeFamily/);
  await context.removeFamily(order);
  await context.saveChanges();
  expect(await storedKeys(storage)).toEqual([]);
});
