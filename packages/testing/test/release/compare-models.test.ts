import { defineEntity, type EntityClass, int32, text } from "@partita/core";
import { constant, padded } from "@partita/core/keys";
import { embedded } from "@partita/core/models";
import { rename, upgrades } from "@partita/core/upgrades";
import { definedClasses } from "@partita/test-support/domain/classes";
import { definedPlain } from "@partita/test-support/domain/plain-classes";
import { expect, test } from "vitest";
import { compareModels, type ModelSnapshot, snapshotModel } from "../../src/index.ts";
import { planted } from "./planted.ts";

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
  version: upgrades({ Alter: int32(), home_city: text().optional() })
    .to(2, rename("Alter", "Age"))
    .supports(1),
  indexes: { byYears: { rowKey: { years: constant("AGE:", padded(3)) }, copy: ["years"] } },
}) {}

test("a snapshot has tables, keys, types, versions and indexes, in a fixed order", () => {
  expect(snapshotModel([Person])).toStrictEqual({
    format: 1,
    classes: [
      {
        name: "Person",
        table: "People",
        isBase: false,
        version: {
          number: 2,
          storedAs: "SchemaVersion",
          supports: 1,
          oldest: 1,
          shapes: [
            { Alter: int32Type, home_city: { ...textType, presence: "optional" } },
            { Age: int32Type, home_city: { ...textType, presence: "optional" } },
          ],
          changes: [{ type: "steps", steps: [{ op: "rename", from: ["Alter"], to: ["Age"] }] }],
        },
        partitionKey: { separator: "_", parts: [{ property: "club", format: "verbatim" }] },
        rowKey: {
          separator: "_",
          parts: [
            { property: "no", format: "padded(4)" },
            { property: "id", format: "verbatim" },
          ],
        },
        properties: [
          { storedAs: "Age", name: "years", ...int32Type },
          { storedAs: "home_city", name: "home.city", ...textType, within: "home" },
        ],
        embedded: [{ name: "home", storedAs: "home", isRequired: false, leaves: ["home_city"] }],
        indexes: [
          {
            name: "byYears",
            definition: expect.stringContaining('["Alter","constant(\\"AGE:\\", padded(3))"]') as string,
            isUnique: false,
            copy: ["years"],
          },
        ],
        settings: {
          kindProperty: "Kind",
          versionProperty: "SchemaVersion",
          unknownKind: "error",
          proof: "content",
          outbox: false,
          indexStates: "recorded",
        },
      },
    ],
  });
});

const int32Type = {
  edm: "Edm.Int32",
  type: "Int32",
  presence: "required",
  minimum: -2_147_483_648,
  maximum: 2_147_483_647,
} as const;
const textType = { edm: "Edm.String", type: "Text", presence: "required", maxLength: 32_768 } as const;

test("a snapshot is the same whatever the order of its classes, and survives JSON", () => {
  const classes = (Object.values({ ...definedClasses, ...definedPlain }) as unknown[]).filter(
    (each): each is EntityClass => typeof each === "function",
  );

  const snapshot = snapshotModel(classes);

  expect(JSON.stringify(snapshotModel(classes.toReversed()))).toBe(JSON.stringify(snapshot));
  expect(JSON.parse(JSON.stringify(snapshot))).toStrictEqual(snapshot);
  expect(compareModels(snapshot, JSON.parse(JSON.stringify(snapshot)) as ModelSnapshot)).toStrictEqual([]);
});

const severity = {
  "a renamed property without an upgrade": "breaks both",
  "a rename without supports": "breaks old readers",
  "another EDM type under one name": "breaks both",
  "a value of an enum that the old release does not know": "breaks old readers",
  "a value of an enum that the new release no longer knows": "breaks new readers",
  "a required property without a default": "breaks new readers",
  "a required property that is removed": "breaks old readers",
  "a narrower type: Int64 to Int32": "breaks new readers",
  "text that becomes an enum": "breaks new readers",
  "another separator": "breaks both",
  "an index that is added without a mark": "breaks new readers",
  "an index that is dropped while the old release reads it": "breaks old readers",
  "a kind that is added": "breaks old readers",
  "a class that is removed": "breaks new readers",
} as const;

test.each(Object.entries(severity))("%s %s", (change, expected) => {
  const pair = planted.find((each) => each.change === change);

  const changes = compareModels(snapshotModel(pair?.old ?? []), snapshotModel(pair?.new ?? []));

  expect(changes[0]?.severity).toBe(expected);
});

test("a change says what differs and what to do", () => {
  const pair = planted.find(({ change }) => change === "another separator");

  expect(compareModels(snapshotModel(pair?.old ?? []), snapshotModel(pair?.new ?? []))).toStrictEqual([
    {
      severity: "breaks both",
      table: "Notes",
      entity: "Note",
      message: `The parts of the RowKey are joined by "|", but were joined by "_", so neither release finds the other's rows. Keep the key, or move the rows to the new one.`,
    },
  ]);
});

test("a snapshot of another format is refused", () => {
  const wrong = { format: 2, classes: [] } as unknown as ModelSnapshot;

  expect(() => compareModels(wrong, snapshotModel([Person]))).toThrow("in format 1");
});
