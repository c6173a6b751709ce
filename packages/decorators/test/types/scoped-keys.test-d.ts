import { defineEntity, defineKind, type TableContext, text } from "@partita/core";
import { escaped } from "@partita/core/keys";
import { owned } from "@partita/core/models";
import { type Key, PartitionKey, RowKey, type ScopedKey, Table } from "@partita/decorators";
import { expectTypeOf, test } from "vitest";

declare const context: TableContext;

@Table("Orders", { scopedBy: "tenant" })
class Decorated {
  @PartitionKey() tenant!: ScopedKey<string>;
  @RowKey() id!: Key<string>;
}

class Order extends defineEntity({
  table: "Orders",
  separator: "!",
  partitionKey: { tenant: escaped },
  rowKey: { id: escaped },
  properties: {},
  scopedBy: "tenant",
}) {}

class Parent extends defineKind(Order, { kind: "Parent", children: { lines: owned(() => Line) } }) {}

class Line extends defineKind(Order, {
  kind: "Line",
  rowKey: { no: escaped },
  properties: { sku: text() },
}) {}

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { box: text() },
  rowKey: { id: text() },
  properties: { tenant: text(), text: text() },
  scopedBy: "tenant",
}) {}

test("new entities and keys may leave the scope out, and nothing else", () => {
  for (const entityClass of [Decorated, Order] as const) {
    context.create(entityClass, { id: "7" });
    context.create(entityClass, { tenant: "acme", id: "7" });
    void context.find(entityClass, { id: "7" });
    void context.find(entityClass, { tenant: "acme", id: "7" });
    context.removeByKey(entityClass, { id: "7" }, "*");
  }
  context.create(Note, { box: "b", id: "1", text: "t" });
  void context.find(Line, { id: "7", no: "1" });
  context.create(Parent, { id: "7", lines: [{ no: "1", sku: "A" }] });
  // @ts-expect-error the rest of the key is required
  context.create(Order, { tenant: "acme" });
  // @ts-expect-error the rest of the key is required
  context.create(Decorated, { tenant: "acme" });
  // @ts-expect-error the rest of the key is required
  void context.find(Decorated, { tenant: "acme" });
  // @ts-expect-error the rest of the key is required
  void context.find(Line, { id: "7" });
  // @ts-expect-error the other property is required
  context.create(Note, { box: "b", id: "1" });
});

test("entities always have the property", () => {
  expectTypeOf(context.create(Order, { id: "7" }).tenant).toEqualTypeOf<string>();
  expectTypeOf(context.create(Note, { box: "b", id: "1", text: "t" }).tenant).toEqualTypeOf<string>();
});

test("a scope is by a property of the class", () => {
  defineEntity({
    table: "Notes",
    partitionKey: { box: text() },
    rowKey: { id: text() },
    properties: { tenant: text() },
    // @ts-expect-error there is no such property
    scopedBy: "tenants",
  });
});
