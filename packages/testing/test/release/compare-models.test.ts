import { defineEntity, int32, text } from "@partita/core";
import { embedded } from "@partita/core/models";
import { constant, padded } from "@partita/core/keys";
import { rename, upgrades } from "@partita/core/upgrades";
import { definedPlain } from "@partita/test-support/domain/plain-classes";
import { definedScopes } from "@partita/test-support/domain/scope-classes";
import { expect, test } from "vitest";
import { compareModels, type ModelSnapshot, snapshotModel } from "../../src/index.ts";
import { compatible, planted } from "./planted.ts";

class Address {
  city = "";
}

class Person extends defineEntity({
  table: "People",
  partitionKey: { club: text() },
  rowKey: { no: padded(4), id: text() },
  properties: {
    years: int32().named("Age"),
    home: embedded(Address, { city: text() }).optional(),
  },
  version: upgrades({ Alter: int32() }).to(2, rename("Alter", "Age")).supports(1),
  indexes: { byYears: { rowKey: { years: constant("AGE:", padded(3)) }, copy: ["years"] } },
}) {}

class Plain extends defineEntity({
  table: "People",
  partitionKey: { club: text() },
  rowKey: { no: padded(4), id: text() },
  properties: { years: int32().named("Age") },
}) {}

const personOf = ({ classes }: ModelSnapshot): ModelSnapshot["classes"][number] => {
  const found = classes.find(({ name }) => name === "Person");
  if (found === undefined) throw new Error("There is no Person.");
  return found;
};
