import { countedMemory, type OpenPlace } from "@partita/test-support/budgets";
import {
  type Children,
  createTables,
  defineEntity,
  defineKind,
  type EntityClass,
  int32,
  owned,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import { constant, padded } from "../../src/keys.ts";
import { rename, upgrades } from "../../src/upgrades.ts";

const keys = { partitionKey: { shop: text() }, rowKey: { id: padded(6) } } as const;

/** Numbered rows, one partition for each shop. */
export class Item extends defineEntity({
  table: "Items",
  ...keys,
  properties: { name: text(), n: int32() },
}) {}

/** Rows with an index, and with values that are unique in their partition. */
export class Listed extends defineEntity({
  table: "Listed",
  partitionKey: { shop: text() },
  rowKey: { id: constant("ID:", padded(6)) },
  properties: { name: text(), n: int32() },
  indexes: {
    byN: { rowKey: { n: constant("N:", padded(6)), id: padded(6) } },
    byName: { rowKey: { name: constant("NAME:", text()) }, unique: true },
  },
}) {}

const oldBook = { n: int32(), title: text() };
class OldBook extends defineEntity({ table: "Books", ...keys, version: 1, properties: oldBook }) {}

/** Rows that are stored by an older version. */
export class Book extends defineEntity({
  table: "Books",
  ...keys,
  version: upgrades(oldBook).to(2, rename("title", "name")),
  properties: { n: int32(), name: text() },
}) {}

class OrderRow extends defineEntity({
  table: "Orders",
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: {},
}) {}

/** One order, which owns as many lines as there are rows. */
export class Order extends defineKind(OrderRow, {
  kind: "Order",
  properties: { state: text().optional() },
  children: { lines: owned((): EntityClass<Line> => Line) },
}) {
  declare lines?: Children<Line>;
}

export class Line extends defineKind(OrderRow, {
  kind: "Line",
  rowKey: { no: padded(6) },
  properties: { n: int32() },
}) {}

const old = { ...keys, properties: { n: int32() } } as const;
class OldPlace extends defineEntity({ table: "Places", ...old }) {}

/** Rows that are stored under former keys. */
export class Place extends defineEntity({
  table: "Places",
  ...old,
  rowKey: { id: constant("ID:", padded(6)) },
  formerKeys: OldPlace,
}) {}

/** A row that sends messages. */
export class Sender extends defineEntity({
  table: "Senders",
  ...keys,
  properties: { n: int32().default(0) },
  outbox: true,
}) {}

export const classes = [Item, Listed, Book, Order, Line, Place, Sender] as const;

export const shop = "s";
export const first = { shop, id: 0 } as const;

/** A shop that has so many rows of one class, and a new context for it. */
export interface Shop {
  readonly storage: TableStorage;
  readonly context: TableContext;
}

const openWith =
  (create: (context: TableContext, id: number) => void): OpenPlace<Shop> =>
  async (counter, rows) => {
    const storage = await countedMemory(counter);
    await createTables(storage, classes);
    await using setting = new TableContext(storage);
    for (let id = 0; id < rows; id++) create(setting, id);
    await setting.saveChanges();
    return { storage, context: new TableContext(storage) };
  };

const valuesOf = (id: number) => ({ shop, id, n: id, name: `name ${id}` });

export const openItems: OpenPlace<Shop> = openWith((context, id) => context.create(Item, valuesOf(id)));
export const openListed: OpenPlace<Shop> = openWith((context, id) => context.create(Listed, valuesOf(id)));

export const openBooks: OpenPlace<Shop> = openWith((context, id) =>
  context.create(OldBook, { shop, id, n: id, title: `name ${id}` }),
);

export const openPlaces: OpenPlace<Shop> = openWith((context, id) =>
  context.create(OldPlace, { shop, id, n: id }),
);

export const orderKey = { shop, id: "7" } as const;

/** One order and its lines. */
export const openOrders: OpenPlace<Shop> = openWith((context, no) => {
  if (no === 0) context.create(Order, orderKey);
  context.create(Line, { ...orderKey, no, n: no });
});

/** New items with keys that no other item has. */
export const newItem = (context: TableContext, id: number, of: string = shop): Item =>
  context.create(Item, { shop: of, id: 500_000 + id, name: "new", n: 1 });
