import { definedClasses, type LineEntity, type OrderEntity } from "@partita/test-support/domain/classes";
import { expectTypeOf, test } from "vitest";
import {
  type Children,
  createTables,
  defineEntity,
  defineKind,
  fromPlain,
  int32,
  json,
  type TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { escaped, padded } from "../../../src/keys.ts";
import { owned } from "../../../src/models.ts";

const { Order, Line, Comment } = definedClasses;
declare const storage: TableStorage;
declare const context: TableContext;
declare const order: OrderEntity & { lines: Children<LineEntity> };
declare const line: LineEntity;
declare const comment: InstanceType<typeof Comment>;

test("a list of children is a mutable array", () => {
  expectTypeOf(order.lines).toEqualTypeOf<Children<LineEntity>>();
  expectTypeOf<OrderEntity["lines"]>().toEqualTypeOf<Children<LineEntity> | undefined>();
  order.lines = order.lines.filter((each) => each.no !== 1);
  order.lines = order.lines.toSorted((a, b) => a.no - b.no);
  order.lines = [...order.lines, line];
  order.lines = [];
  order.lines.push(line);
  order.lines.splice(0, 1);
  order.lines.reverse();
  order.lines.length = 0;
});

test("a list takes members only", () => {
  // @ts-expect-error a Comment is no Line
  order.lines.push(comment);
  // @ts-expect-error plain values are no Line: createIn() makes one
  order.lines.push({ no: 3, sku: "C" });
  // @ts-expect-error null is no Line
  order.lines.push(null);
  // @ts-expect-error a list of another class
  order.lines = [comment];
});

test("a JSON array is no list of children", () => {
  class Tagged extends defineEntity({
    table: "Tagged",
    partitionKey: { tenant: escaped },
    rowKey: { id: escaped },
    properties: { tags: json<string[]>(), more: json<string[]>().optional(), n: int32().optional() },
  }) {}
  const tagged = context.create(Tagged, { tenant: "a", id: "1", tags: ["x"] });
  expectTypeOf(tagged.tags).toEqualTypeOf<string[]>();
  // @ts-expect-error an array of JSON is not read from other rows
  context.query(Tagged).include((t) => t.tags);
  // @ts-expect-error nor is it a list that members are made in
  context.createIn(tagged, "tags", {});
  // @ts-expect-error nor one that find() reads
  void context.find(Tagged, { tenant: "a", id: "1" }, { include: "tags" });
});

test("createIn takes a list of the class, and values of its members without the parent's key", () => {
  expectTypeOf(context.createIn(order, "lines", { no: 3, sku: "C" })).toEqualTypeOf<LineEntity>();
  context.createIn(order, "lines", { no: 3, sku: "C", qty: 2 });
  // @ts-expect-error there is no such list
  context.createIn(order, "nope", {});
  // @ts-expect-error a property is no list
  context.createIn(order, "note", {});
  // @ts-expect-error sku is required
  context.createIn(order, "lines", { no: 3 });
  // @ts-expect-error no is a part of its key
  context.createIn(order, "lines", { sku: "C" });
  // @ts-expect-error a line has no such property
  context.createIn(order, "lines", { no: 3, sku: "C", nope: 1 });
  // @ts-expect-error qty is a number
  context.createIn(order, "lines", { no: 3, sku: "C", qty: "2" });
  // @ts-expect-error a line has no lists
  context.createIn(line, "lines", { no: 3, sku: "C" });
});

test("nested values of create are checked", () => {
  const key = { tenant: "acme", id: "8" };
  expectTypeOf(context.create(Order, { ...key, lines: [{ no: 1, sku: "A" }] })).toExtend<OrderEntity>();
  context.create(Order, { ...key, lines: [] });
  context.create(Order, { ...key, note: "n", lines: [{ no: 1, sku: "A", qty: 2 }] });
  // @ts-expect-error sku is required
  context.create(Order, { ...key, lines: [{ no: 1 }] });
  // @ts-expect-error no is a part of its key
  context.create(Order, { ...key, lines: [{ sku: "A" }] });
  // @ts-expect-error a line has no such property
  context.create(Order, { ...key, lines: [{ no: 1, sku: "A", nope: 1 }] });
  // @ts-expect-error sku is a text
  context.create(Order, { ...key, lines: [{ no: 1, sku: 1 }] });
  // @ts-expect-error there is no such list
  context.create(Order, { ...key, nope: [{ no: 1, sku: "A" }] });
  // @ts-expect-error a list of lines takes no single one
  context.create(Order, { ...key, lines: { no: 1, sku: "A" } });
});

test("a child is made without its parent's key", () => {
  expectTypeOf(new Line({ no: 3, sku: "C" })).toExtend<LineEntity>();
  new Line({ tenant: "acme", id: "7", no: 3, sku: "C" });
  // @ts-expect-error sku is required
  new Line({ no: 3 });
});

test("find, findMany and modify name lists of the class", () => {
  const key = { tenant: "acme", id: "7" };
  void context.find(Order, key, { include: "lines" });
  void context.findMany(Order, [key], { include: "lines" });
  void context.modify(Order, key, (each) => void each.lines?.pop(), { include: "lines" });
  void context.modify(Order, key, () => undefined, { create: () => ({ total: 1 }) });
  // @ts-expect-error there is no such list
  void context.find(Order, key, { include: "nope" });
  // @ts-expect-error a property is no list
  void context.findMany(Order, [key], { include: "note" });
  // @ts-expect-error there is no such list
  void context.modify(Order, key, () => undefined, { include: "nope" });
  // @ts-expect-error total is a number
  void context.modify(Order, key, () => undefined, { create: () => ({ total: "1" }) });
});

test("a list that is owned has a class below its parent", () => {
  class Base extends defineEntity({
    table: "Bases",
    partitionKey: { tenant: escaped },
    rowKey: { id: escaped },
    properties: {},
  }) {}
  class Leaf extends defineKind(Base, { kind: "Leaf", rowKey: { no: padded(2) } }) {}
  class Other extends defineEntity({
    table: "Bases",
    partitionKey: { tenant: escaped },
    rowKey: { code: text() },
    properties: {},
    kind: "Other",
  }) {}
  class Tree extends defineKind(Base, { kind: "Tree", children: { leaves: owned(() => Leaf) } }) {}
  expectTypeOf(new Tree().leaves).toEqualTypeOf<Children<Leaf> | undefined>();
  // @ts-expect-error its key does not begin with the parent's
  defineKind(Base, { kind: "Wrong", children: { others: owned(() => Other) } });
  void createTables(storage, [Tree, Leaf]);
});

test("plain data makes an order with lines", () => {
  expectTypeOf(
    fromPlain(Order, { tenant: "acme", id: "8", lines: [{ no: 1, sku: "A" }] }),
  ).toExtend<OrderEntity>();
});

test("a list that a query includes stays in the type after select", () => {
  const orders = context
    .query(Order)
    .include((o) => o.lines)
    .select("note");

  expectTypeOf(orders.single()).resolves.toHaveProperty("lines").toEqualTypeOf<Children<LineEntity>>();
  expectTypeOf(orders.single()).resolves.toHaveProperty("note").toEqualTypeOf<string | undefined>();
  expectTypeOf(orders.single()).resolves.not.toHaveProperty("total");
  expectTypeOf(context.query(Order).select("note").single()).resolves.not.toHaveProperty("lines");
});
