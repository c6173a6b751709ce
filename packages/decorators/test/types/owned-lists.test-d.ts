// Compiled twice: with legacy and with standard decorators. Each line marked as an error must be one under both.
import type { TableContext } from "@partita/core";
import { Children, Text, Table } from "@partita/decorators";
import { expectTypeOf, test } from "vitest";
import { Comment, Line, Order } from "../fixtures/domain.ts";

declare const context: TableContext;
declare const order: Order & { lines: Children<Line> };
declare const line: Line;
declare const comment: Comment;

@Table("Wrong")
export class Wrong extends Order {
  // @ts-expect-error the list is declared with members of another class
  @Children(() => Comment, { owned: true }) others?: Children<Line>;
  // @ts-expect-error there is no such option
  @Children(() => Line, { own: true }) more?: Children<Line>;
  // @ts-expect-error a text is no list
  @Children(() => Line, { owned: true }) name!: string;
  @Text() last!: string;
}

test("a list of children is a mutable array of members", () => {
  order.lines = order.lines.filter((each) => each.no !== 1);
  order.lines = [];
  order.lines.push(line);
  // @ts-expect-error a Comment is no Line
  order.lines.push(comment);
  // @ts-expect-error plain values are no Line
  order.lines.push({ no: 3, sku: "C" });
});

test("createIn takes a list of the class, and values of its members without the parent's key", () => {
  expectTypeOf(context.createIn(order, "lines", { no: 3, sku: "C" })).toEqualTypeOf<Line>();
  // @ts-expect-error there is no such list
  context.createIn(order, "nope", {});
  // @ts-expect-error no is a part of its key
  context.createIn(order, "lines", { sku: "C" });
  // @ts-expect-error a line has no such property
  context.createIn(order, "lines", { no: 3, sku: "C", nope: 1 });
});

test("nested values of create are checked", () => {
  const key = { tenant: "acme", id: "8" };
  context.create(Order, { ...key, lines: [{ no: 1, sku: "A" }] });
  // @ts-expect-error no is a part of its key
  context.create(Order, { ...key, lines: [{ sku: "A" }] });
  // @ts-expect-error sku is a text
  context.create(Order, { ...key, lines: [{ no: 1, sku: 1 }] });
});

test("find, findMany and modify name lists of the class", () => {
  const key = { tenant: "acme", id: "7" };
  void context.find(Order, key, { include: "lines" });
  void context.modify(Order, key, (each) => void each.lines?.pop(), { include: "lines" });
  // @ts-expect-error there is no such list
  void context.find(Order, key, { include: "nope" });
});
