import { expect, test } from "vitest";
import { defineEntity, defineKind, int32, TableContext, text } from "../../../src/index.ts";
import { constant, padded, verbatim } from "../../../src/keys.ts";
import { storeOf } from "./store.ts";

class Animal extends defineEntity({
  table: "Animals",
  partitionKey: { zoo: text() },
  rowKey: { id: text() },
  properties: { age: int32().optional(), chip: text().optional() },
  indexes: {
    byAge: { rowKey: { age: constant("AGE:", padded(3)), id: text() } },
    byChip: { rowKey: { chip: constant("CHIP:", verbatim) }, unique: true },
  },
}) {}
class Cat extends defineKind(Animal, { kind: "Cat" }) {}
class Dog extends defineKind(Animal, { kind: "Dog" }) {}

test("a base class is read via an index within the index's rows, whatever the conditions are", async () => {
  await using storage = await storeOf(Animal);
  const context = new TableContext(storage);
  context.create(Cat, { zoo: "z", id: "tom", age: 4 });
  await context.saveChanges();

  const found = new TableContext(storage).query(Animal).where((a) => a.zoo.eq("z").and(a.id.ge("a")));

  expect((await found.via("byAge").toArray()).map(({ id }) => id)).toEqual(["tom"]);
});

test("one kind is found via a unique index of its base, and the others are not", async () => {
  await using storage = await storeOf(Animal);
  const context = new TableContext(storage);
  context.create(Cat, { zoo: "z", id: "tom", chip: "c1" });
  context.create(Dog, { zoo: "z", id: "rex", chip: "c2" });
  await context.saveChanges();
  const zoo = { zoo: "z" };
  const idsOf = (animals: readonly Animal[]): string[] => animals.map(({ id }) => id);
  const reader = new TableContext(storage);

  expect(idsOf(await reader.query(Cat).where(zoo).via("byChip").toArray())).toEqual(["tom"]);
  expect(idsOf(await reader.query(Dog).where(zoo).via("byChip").toArray())).toEqual(["rex"]);
  expect(idsOf(await reader.query([Cat, Dog]).where(zoo).via("byChip").toArray())).toEqual(["tom", "rex"]);
});
