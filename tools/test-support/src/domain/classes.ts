import { type Children, defineEntity, defineKind, type EntityClass, int32, text } from "@partita/core";
import { escaped, newestFirst, padded } from "@partita/core/keys";
import { owned } from "@partita/core/models";

class OrderRow extends defineEntity({
  table: "Orders",
  separator: "!",
  partitionKey: { tenant: escaped },
  rowKey: { id: escaped },
  properties: {},
}) {}

class Order extends defineKind(OrderRow, {
  kind: "Order",
  properties: { note: text().optional(), total: int32().default(0) },
  children: { lines: owned(() => Line), comments: () => Comment },
}) {}

class Line extends defineKind(OrderRow, {
  kind: "Line",
  rowKey: { no: padded(4) },
  properties: { sku: text(), qty: int32().default(1) },
}) {}

class Comment extends defineKind(OrderRow, {
  kind: "Comment",
  rowKey: { at: newestFirst },
  properties: { text: text() },
}) {}

/** An order with a list from its own field initializer. */
class EagerRow extends defineEntity({
  table: "EagerOrders",
  separator: "!",
  partitionKey: { tenant: escaped },
  rowKey: { id: escaped },
  properties: {},
}) {}

class EagerOrder extends defineKind(EagerRow, {
  kind: "Order",
  children: { lines: owned((): EntityClass<EagerLine> => EagerLine) },
}) {
  override lines: Children<EagerLine> = [];
}

class EagerLine extends defineKind(EagerRow, {
  kind: "Line",
  rowKey: { no: padded(4) },
  properties: { sku: text() },
}) {}

/** Two lists that would both own the same rows. */
class TwiceRow extends defineEntity({
  table: "TwiceOrders",
  separator: "!",
  partitionKey: { tenant: escaped },
  rowKey: { id: escaped },
  properties: {},
}) {}

class TwiceOrder extends defineKind(TwiceRow, {
  kind: "Order",
  children: { lines: owned(() => TwiceLine), extras: owned(() => TwiceLine) },
}) {}

class TwiceLine extends defineKind(TwiceRow, { kind: "Line", rowKey: { no: padded(4) } }) {}

/** A class with its own table, for work that runs again. */
class Counter extends defineEntity({
  table: "Counters",
  partitionKey: { tenant: escaped },
  rowKey: { id: escaped },
  properties: { n: int32().default(0) },
}) {}

/** The classes of the acceptance cases, in one of the three forms. */
export interface DomainClasses {
  readonly Order: typeof Order;
  readonly Line: typeof Line;
  readonly Comment: typeof Comment;
  readonly EagerOrder: typeof EagerOrder;
  readonly EagerLine: typeof EagerLine;
  readonly TwiceOrder: typeof TwiceOrder;
  readonly TwiceLine: typeof TwiceLine;
  readonly Counter: typeof Counter;
}

export type OrderEntity = Order;
export type LineEntity = Line;

/** The form of `defineEntity` and `defineKind`. */
export const definedClasses: DomainClasses = {
  Order,
  Line,
  Comment,
  EagerOrder,
  EagerLine,
  TwiceOrder,
  TwiceLine,
  Counter,
};
