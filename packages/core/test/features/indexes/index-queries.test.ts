import { expect, test } from "vitest";
import { defineEntity, defineKind, int32, TableContext, text } from "../../../src/index.ts";
import { constant, padded } from "../../../src/keys.ts";
import { storeOf } from "./store.ts";

class Animal extends defineEntity({
  table: "Animals",
  partitionKey: { zoo: text() },
  rowKey: { id: text() },
  properties: { age: int32().optional() },
  indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)), id: text() } } },
}) {}
class Cat extends defineKind(Animal, { kind: "Cat" }) {}

test("a base class is read via an index within the index's rows, whatever the conditions are", async () => {
  await using storage = await storeOf(Animal);
  const context = new TableContext(storage);
  context.create(Cat, { zoo: "z", id: "tom", age: 4 });
  await context.saveChanges();

  const found = new TableContext(storage).query(Animal).where((a) => a.zoo.eq("z").and(a.id.ge("a")));

  expect((await found.via("byAge").toArray()).map(({ id }) => id)).toEqual(["tom"]);
});
