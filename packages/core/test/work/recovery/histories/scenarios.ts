import { defineEntity, type EntityClass, int32, type SaveOptions, text } from "../../../../src/index.ts";

const shape = {
  partitionKey: { part: text() },
  rowKey: { id: text() },
  properties: { value: int32().default(0), other: int32().optional() },
} as const;

export class Plain extends defineEntity({ table: "Plain", ...shape }) {}
export class Marked extends defineEntity({ table: "Marked", ...shape, proof: "marker" }) {}

/** What the program wants first of a row. */
export type Want = "insert" | "change" | "delete" | "upsert" | "change any" | "delete any";

export interface Scenario {
  readonly name: string;
  readonly entityClass: EntityClass<Plain>;
  readonly table: string;
  readonly wants: readonly Want[];
  readonly save: SaveOptions;
  readonly isIdempotent: boolean;
}

const forms: readonly (readonly [string, readonly Want[], SaveOptions, boolean?])[] = [
  ["insert", ["insert"], {}],
  ["change", ["change"], {}],
  ["change, then replace", ["change"], { update: "replace" }],
  ["delete", ["delete"], {}],
  ["delete, one must win", ["delete"], { removeMissing: "error" }],
  ["delete, missing is done", ["delete"], { removeMissing: "ignore" }],
  ["upsert", ["upsert"], {}],
  ["idempotent upsert", ["upsert"], {}, true],
  ["change under *", ["change any"], {}],
  ["delete under *", ["delete any"], {}],
  ["two inserts", ["insert", "insert"], {}],
  ["change and insert", ["change", "insert"], {}],
  ["delete and insert", ["delete", "insert"], {}],
  ["upsert and change", ["upsert", "change"], {}],
  ["atomic change and insert", ["change", "insert"], { batch: "atomic" }],
  ["atomic delete and insert", ["delete", "insert"], { batch: "atomic" }],
  [
    "atomic delete and insert, one must win",
    ["delete", "insert"],
    { batch: "atomic", removeMissing: "error" },
  ],
  ["atomic deletes", ["delete", "delete"], { batch: "atomic", removeMissing: "error" }],
];

export const scenarios: readonly Scenario[] = [Plain, Marked].flatMap((entityClass) =>
  forms.map(([name, wants, save, isIdempotent = false]) => ({
    name: `${entityClass === Plain ? "content" : "marker"}: ${name}`,
    entityClass: entityClass as EntityClass<Plain>,
    table: entityClass === Plain ? "Plain" : "Marked",
    wants,
    save,
    isIdempotent,
  })),
);
