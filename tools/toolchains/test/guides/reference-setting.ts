// What the examples of doc comments take for granted. Each example gets a setting of its own, so it may change everything.
import {
  createTables,
  defineEntity,
  defineKind,
  int32,
  openStorage,
  owned,
  TableContext,
  text,
} from "@partita/core";
import { escaped, newestFirst, padded } from "@partita/core/keys";

export class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: { text: text(), rating: int32().default(0), author: text().optional() },
}) {}

class OrderRow extends defineEntity({
  table: "Orders",
  separator: "!",
  partitionKey: { tenant: escaped },
  rowKey: { id: escaped },
  properties: {},
}) {}

/** An order and its lines. */
export class Order extends defineKind(OrderRow, {
  kind: "Order",
  properties: { note: text().optional() },
  children: { lines: owned(() => Line) },
}) {}
export class Line extends defineKind(OrderRow, {
  kind: "Line",
  rowKey: { no: padded(4) },
  properties: { sku: text() },
}) {}

export class Account extends defineEntity({
  table: "Accounts",
  partitionKey: { bank: text() },
  rowKey: { id: text() },
  properties: { balance: int32() },
}) {}

/** A class of two releases. */
export class OldNote extends defineEntity({
  table: "Notes",
  version: 1,
  partitionKey: { board: text() },
  rowKey: { id: text() },
  properties: { title: text() },
}) {}
export class Note extends defineEntity({
  table: "Notes",
  version: 1,
  partitionKey: { board: text() },
  rowKey: { id: text() },
  properties: { title: text(), stars: int32().default(0) },
}) {}

export const channel = "Channel9";
const dayOf = (day: number): Date => new Date(Date.UTC(2008, 9, day));

export const postedOn: Date = dayOf(1);
export const storage = await openStorage("memory:");
await createTables(storage, [Blog, Order, Line, Account]);

const filling = new TableContext(storage);
for (const [i, title] of ["First", "Second", "Third"].entries())
  filling.create(Blog, { channel, postedOn: dayOf(i + 1), text: title, rating: i + 1, author: "Ann" });
const lines = [
  { no: 1, sku: "A" },
  { no: 2, sku: "B" },
];
filling.create(Order, { tenant: "acme", id: "7", lines });
filling.create(Account, { bank: "b", id: "1", balance: 50 });
await filling.saveChanges();

export const context: TableContext = new TableContext(storage);
/** Tracked by the context: the blog of the first day, and an order with its lines. */
export const blog: Blog = (await context.find(Blog, { channel, postedOn })) as Blog;
export const order: Order = (await context.find(
  Order,
  { tenant: "acme", id: "7" },
  { include: "lines" },
)) as Order;

/** Changes the blog of the first day as another program would. */
export async function elsewhere(change: (blog: Blog) => void): Promise<void> {
  await new TableContext(storage).modify(Blog, { channel, postedOn }, change);
}

/** A pool of the library `pg`, for examples that only compile. */
export const pool = undefined as never;
