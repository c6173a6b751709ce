import { expect, test } from "vitest";
import { defineEntity, defineKind, int32, TableContext, text } from "../../src/index.ts";
import { modelOf } from "../../src/models.ts";
import { retype, upgrades } from "../../src/upgrades.ts";
import { get, keys, store } from "./upgraded-orders.ts";

test("children of a parent that is not of the query are no orphans, however ranges meet", async () => {
  class Base extends defineEntity({
    table: "Orders",
    partitionKey: { shop: text() },
    rowKey: { a: text() },
    properties: {},
  }) {}
  class Parent extends defineKind(Base, {
    kind: "P",
    properties: { n: int32() },
    children: { all: () => Child },
  }) {}
  class Child extends defineKind(Base, { kind: "C", rowKey: { c: text() } }) {}
  await using storage = await store(Base);
  const context = new TableContext(storage);
  context.create(Parent, { shop: "s", a: "a", n: 1 });
  context.create(Child, { shop: "s", a: "a", c: "1" });
  await context.saveChanges();
  const parents = context.query(Parent).where({ shop: "s" });

  for (const query of [
    parents.where((p) => p.n.eq(2).and(p.a.in(["a", "a!"]))),
    parents.where((p) => p.n.eq(2).and(p.a.ge("a").or(p.a.eq("b")))),
  ])
    expect(await query.include((p) => p.all).toArray()).toEqual([]);
});

test("a base with one prefix kind, or with kinds of its own key, still meets rows of unknown kinds", async () => {
  class Base extends defineEntity({
    table: "Orders",
    partitionKey: { shop: text() },
    rowKey: { id: text() },
    properties: {},
    unknownKind: "base",
  }) {}
  class Known extends defineKind(Base, { kind: "Known" }) {}
  await using storage = await store(Base, { RowKey: "x", Kind: "Known" }, { RowKey: "x_1", Kind: "Strange" });
  const context = new TableContext(storage);

  modelOf(Known);
  expect(await context.query(Base).where({ shop: "s" }).count()).toBe(2);
  expect(await context.query(Base).where({ shop: "s", id: "x" }).count()).toBe(2);
  expect(await context.query(Known).where({ shop: "s", id: "x" }).count()).toBe(1);
  class Prefixed extends defineEntity({
    table: "Orders",
    partitionKey: { shop: text() },
    rowKey: {},
    properties: {},
    unknownKind: "base",
  }) {}
  class One extends defineKind(Prefixed, { kind: { name: "U", key: "prefix" }, rowKey: { id: text() } }) {}
  modelOf(One);
  expect([One, await context.query(Prefixed).where({ shop: "s" }).count()]).toEqual([One, 2]);
});

test("kinds told by a predicate are told in counts and parts of rows too", async () => {
  class One extends defineEntity({
    ...keys,
    kind: { name: "One", stored: false, when: (row) => row["Type"] === "one" },
    properties: { A: int32().optional() },
  }) {}
  await using storage = await store(One, { Type: "one", A: 1 }, { Type: "two", A: 2 });
  const query = new TableContext(storage).query(One).where({ shop: "s" });

  expect(await query.count()).toBe(1);
  expect(await query.select("A").mergeOption("noTracking").toArray()).toMatchObject([{ A: 1 }]);
});

test("rows that are skipped use up neither take nor first nor count", async () => {
  const failing = upgrades({ N: text() }).to(
    2,
    retype("N", "M", int32(), (n: string) => {
      if (n === "bad") throw new Error("no number");
      return Number(n);
    }),
  );
  class Item extends defineEntity({ ...keys, version: failing, properties: { M: int32() } }) {}
  await using storage = await store(Item, { N: "bad" }, { N: "1" }, { N: "2" });
  const context = new TableContext(storage, { unreadableRows: "skip" });
  const items = context.query(Item).where({ shop: "s" });

  expect((await items.first())?.M).toBe(1);
  expect((await items.take(2).toArray()).map(({ M }) => M)).toEqual([1, 2]);
  expect(await items.count()).toBe(2);
  await expect(items.single()).rejects.toMatchObject({ code: "query.several-found" });
  expect(await items.updateAll((item) => void item.M++)).toMatchObject({ written: 2 });
  expect(await get(storage, "1")).toMatchObject({ M: 2 });
});

test("a renamed kind in the key is found under its old name", async () => {
  class Unit extends defineEntity({
    ...keys,
    kind: { name: "Unit", key: "prefix", formerly: ["Old"] },
    properties: {},
  }) {}
  await using storage = await store(Unit, { RowKey: "Old_y", Kind: "Old" });

  expect(await new TableContext(storage).find(Unit, { shop: "s", id: "y" })).toBeInstanceOf(Unit);
});

test("a row whose key begins as another one's does is found by its own key alone, through its base as well", async () => {
  class Base extends defineEntity({
    table: "Orders",
    partitionKey: { shop: text() },
    rowKey: { id: text() },
    properties: {},
  }) {}
  class Order extends defineKind(Base, { kind: "O" }) {}
  await using storage = await store(Base);
  const context = new TableContext(storage);
  for (const id of ["A", "A_B"]) context.create(Order, { shop: "s", id });
  await context.saveChanges();

  const found = await new TableContext(storage).query(Base).where({ shop: "s", id: "A" }).toArray();
  expect(found.map(({ id }) => id)).toEqual(["A"]);
});
