import { createTables, defineEntity, defineKind, int32, openStorage, text } from "../../../src/index.ts";
import { TableContext } from "../../../src/index.ts";
import type { EntityClass, TableStorage } from "../../../src/index.ts";
import { owned } from "../../../src/models.ts";

// Orders own lines, which own parts. With the separator "_", the keys of the order "10" are among those of the order "1".

class Row extends defineEntity({
  table: "Nested",
  separator: "_",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: {},
}) {}

export class Order extends defineKind(Row, {
  kind: "Order",
  properties: { total: int32().default(0), note: text().optional() },
  children: { lines: owned((): EntityClass<Line> => Line) },
}) {}

export class Line extends defineKind(Row, {
  kind: "Line",
  rowKey: { no: text() },
  properties: { qty: int32().default(1) },
  children: { parts: owned((): EntityClass<Part> => Part) },
}) {}

export class Part extends defineKind(Row, {
  kind: "Part",
  rowKey: { no: text(), part: text() },
  properties: { size: int32().default(1) },
}) {}

/** A store with the order 7, its lines 1 and 2, and a part of each. */
export async function openNested(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Order, Line, Part]);
  const writer = new TableContext(storage);
  const lines = ["1", "2"].map((no) => ({ no, parts: [{ part: "a" }] }));
  writer.create(Order, { tenant: "acme", id: "7", lines });
  await writer.saveChanges();
  return storage;
}

const key = { tenant: "acme", id: "7" } as const;

/** An order whose lines are loaded. */
export type Loaded = Order & { lines: NonNullable<Order["lines"]> };

/** The order 7 with its lines. */
export async function findOrder(context: TableContext): Promise<Loaded> {
  const order = await context.find(Order, key, { include: "lines" });
  if (order === undefined) throw new TypeError("The order is not stored.");
  return order;
}

/** The order 7 with its lines, and the parts of these. */
export async function loadOrder(context: TableContext): Promise<Loaded> {
  const order = await findOrder(context);
  for (const { no } of order.lines) await context.find(Line, { ...key, no }, { include: "parts" });
  return order;
}

/** The RowKeys of all rows. */
export async function storedKeys(storage: TableStorage): Promise<string[]> {
  const { entities } = await storage.query("Nested", {});
  return entities.map(({ RowKey }) => RowKey);
}
