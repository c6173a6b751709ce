import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  int32,
  openStorage,
  owned,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { padded } from "../../../src/keys.ts";

// Members of a kind below the class of their list, and children of a view.

class Row extends defineEntity({
  table: "Orders",
  separator: "!",
  partitionKey: { shop: text() },
  rowKey: { id: padded(4) },
  properties: {},
}) {}
class Order extends defineKind(Row, {
  kind: "Order",
  children: { lines: owned(() => Line), comments: () => Comment },
}) {}
class Line extends defineKind(Row, {
  kind: "Line",
  rowKey: { no: padded(4) },
  properties: { sku: text(), qty: int32().default(1) },
}) {}
class Gift extends defineKind(Line, { kind: "Gift", properties: { to: text() } }) {}
class Comment extends defineKind(Row, {
  kind: "Comment",
  rowKey: { at: padded(6) },
  properties: { text: text() },
}) {}

const key = { shop: "s", id: 1 } as const;

async function orders(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Row, Order, Line, Gift, Comment]);
  const context = new TableContext(storage);
  const order = context.create(Order, { ...key, lines: [{ no: 1, sku: "A" }] });
  order.lines?.push(new Gift({ no: 2, sku: "B", to: "Ann" }));
  await context.saveChanges();
  return storage;
}

const keysIn = async (storage: TableStorage): Promise<string[]> =>
  (await storage.query("Orders", { top: 100 })).entities.map(({ RowKey }) => RowKey);

test("include reads members of kinds below the class of the list", async () => {
  await using storage = await orders();
  const context = new TableContext(storage);

  const order = await context.find(Order, key, { include: "lines" });

  expect(order?.lines.map((line) => line.constructor.name)).toEqual(["Line", "Gift"]);
});

test("remove and removeFamily take them along", async () => {
  for (const how of ["remove", "removeFamily"] as const) {
    await using storage = await orders();
    const context = new TableContext(storage);
    const order = await context
      .query(Order)
      .where(key)
      .include((o) => o.lines)
      .single();

    await context[how](order);
    await context.saveChanges();

    expect(await keysIn(storage), how).toEqual([]);
  }
});

test("a child that createIn makes in a view does not belong to the parent", async () => {
  await using storage = await orders();
  const context = new TableContext(storage);
  const order = await context
    .query(Order)
    .where(key)
    .include((o) => o.lines)
    .single();
  context.createIn(order, "comments", { at: 1, text: "x" });
  await context.saveChanges();

  context.remove(order);
  await context.saveChanges();

  expect(await keysIn(storage)).toEqual(["0001!000001"]);
});

test("removeAll leaves no members behind", async () => {
  await using storage = await orders();
  const context = new TableContext(storage);

  expect(() => context.query(Order).where(key).removeAll()).toThrow(
    expect.objectContaining({ code: "query.owned-list" }) as Error,
  );
  await context.query([Order, Line]).where({ shop: "s" }).removeAll();

  expect(await keysIn(storage)).toEqual([]);
});
