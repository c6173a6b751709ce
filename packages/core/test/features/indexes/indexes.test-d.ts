import { test } from "vitest";
import {
  defineEntity,
  defineKind,
  int32,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { constant, padded } from "../../../src/keys.ts";

class Animal extends defineEntity({
  table: "Animals",
  partitionKey: { zoo: text() },
  rowKey: { id: text() },
  properties: { age: int32().optional() },
  indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)) } } },
}) {}
class Cat extends defineKind(Animal, { kind: "Cat", properties: { lives: int32().optional() } }) {}
class Dog extends defineKind(Animal, { kind: "Dog" }) {}

declare const storage: TableStorage;

test("the indexes of a base are its kinds', by name", () => {
  const context = new TableContext(storage);

  context.query(Animal).via("byAge");
  context.query(Cat).via("byAge").via("primary");
  context.query([Cat, Dog]).via("byAge");
  // @ts-expect-error: no index has this name
  context.query(Dog).via("byAges");
});
