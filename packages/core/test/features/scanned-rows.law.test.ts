import { inspect } from "node:util";
import { startTableServer } from "@partita/server";
import { fc } from "@fast-check/vitest";
import { expect, test, vi } from "vitest";
import {
  createTables,
  dateTime,
  defineEntity,
  defineKind,
  double,
  type EntityClass,
  int32,
  int64,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { StoredEntity } from "../../src/storage.ts";
import { forwardStorage } from "../../src/storage/forward-storage.ts";
import { padded } from "../../src/keys.ts";
import { modelOf } from "../../src/models.ts";
import { add, rename, upgrades } from "../../src/upgrades.ts";

// Whatever a query returns, it returns the same where no row is read from its bytes.

const table = { partitionKey: { p: text() }, rowKey: { id: padded(4) } };
const properties = {
  name: text().optional(),
  n: int32().optional(),
  when: dateTime().optional(),
  d: double().default(1.5),
};
const older = { nom: text().optional(), n: properties.n, when: properties.when, d: properties.d };

class Plain extends defineEntity({ ...table, table: "Plains", properties }) {}
class Strict extends defineEntity({
  ...table,
  table: "Stricts",
  properties: { ...properties, name: text() },
}) {}
class Marked extends defineEntity({
  ...table,
  table: "Markeds",
  rowKey: { id: text() },
  properties: { State: text().optional(), name: text().optional() },
  proof: "marker",
}) {}
class Versioned extends defineEntity({
  ...table,
  table: "Versioneds",
  properties: { ...properties, label: text().optional() },
  version: upgrades(older)
    .to(2, rename("nom", "name"))
    .to(3, add("label", text().optional(), "added")),
}) {}
class Base extends defineEntity({
  ...table,
  table: "Bases",
  properties: { name: text().optional() },
  unknownKind: "base",
}) {}
class A extends defineKind(Base, { kind: "A", properties: { n: int32().optional() } }) {}
class B extends defineKind(Base, {
  kind: { name: "B", formerly: ["Bold"] },
  properties: { n: int64().optional(), when: dateTime().optional() },
}) {}

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 8 });
const members = {
  name: maybe(fc.constantFrom("a", "é…", "x".repeat(300), 'q"\\', "__proto__")),
  n: maybe(fc.constantFrom(1, -5, 2_147_483_647)),
  when: maybe(fc.constantFrom("2024-02-29T23:59:59.1234567Z", "1601-01-01T00:00:00Z")),
  d: maybe(fc.constantFrom(1.25, 1e-7, 123_456.125)),
  Other: fc.oneof(
    { weight: 20, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant("undeclared") },
  ),
};

/** What rows of a table have beside the usual members. */
const layouts: readonly [EntityClass, fc.Arbitrary<object>][] = [
  [Plain, fc.constant({})],
  [Strict, fc.constant({ name: "there" })],
  [Marked, fc.constantFrom({ State: "written" }, { State: "mine" }, {})],
  [
    Versioned,
    fc.constantFrom(
      { nom: "first", name: undefined },
      { SchemaVersion: 1, nom: "first", name: undefined },
      { SchemaVersion: 2, name: "second" },
      { SchemaVersion: 3, name: "third" },
      { SchemaVersion: 3, name: "third", label: "own" },
      { SchemaVersion: 4, name: "newer" },
    ),
  ],
  [
    Base,
    fc.constantFrom(
      { Kind: "A" },
      { Kind: "A", when: undefined },
      { Kind: "B", "n@odata.type": "Edm.Int64", n: "9007199254740993" },
      { Kind: "Bold", n: undefined },
      { Kind: "Unknown" },
      {},
    ),
  ],
];

const rowsOfTable = 300;

async function fill(storage: TableStorage): Promise<void> {
  await createTables(storage, [...layouts.map(([entityClass]) => entityClass), A, B]);
  for (const [entityClass, layout] of layouts) {
    const rows = fc.sample(fc.tuple(fc.record(members), layout), rowsOfTable).map(([some, own], i) => {
      const row: Record<string, unknown> = { ...some, ...own };
      const isMarker = entityClass === Marked && i % 5 === 0;
      return {
        PartitionKey: "p",
        RowKey: `${isMarker ? "~w~" : ""}${String(i).padStart(4, "0")}`,
        ...(row["when"] !== undefined && { "when@odata.type": "Edm.DateTime" }),
        ...row,
      } as unknown as StoredEntity;
    });
    for (let at = 0; at < rows.length; at += 100)
      await storage.transact(
        modelOf(entityClass).table,
        rows.slice(at, at + 100).map((entity) => ({ type: "insert" as const, entity })),
      );
  }
}

/** The same storage, which offers no bytes. */
const withoutBytes = (storage: TableStorage): TableStorage => forwardStorage(storage, {});

const shapes: readonly ((context: TableContext, entityClass: typeof Plain) => Promise<unknown>)[] = [
  (context, entityClass) => context.query(entityClass).where({ p: "p" }).toArray(),
  (context, entityClass) => context.query(entityClass).where({ p: "p" }).take(120).toArray(),
  (context, entityClass) => context.query(entityClass).where({ p: "p", name: "a" }).toArray(),
  async (context, entityClass) =>
    (await context.query(entityClass).where({ p: "p" }).page({ size: 90 })).entities,
  async (context, entityClass) => {
    // Twice: rows meet tracked entities, some of which were edited.
    const found = await context.query(entityClass).where({ p: "p" }).toArray();
    for (const each of found.slice(0, 20)) if (!Object.isFrozen(each)) each.name = "edited";
    return context.query(entityClass).where({ p: "p" }).toArray();
  },
];

async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  const show = (value: unknown): string => inspect(value, { depth: 6, maxArrayLength: null });
  try {
    return show(await work());
  } catch (error) {
    const { code, message, details } = error as { code?: string; message: string; details?: unknown };
    return show({ code, message, details });
  }
}

test.each(["memory", "server"])(
  "over %s, rows of many forms are what they are without bytes",
  async (where) => {
    vi.spyOn(process, "emitWarning").mockReturnValue();
    await using server = await startTableServer();
    await using storage = await openStorage(where === "memory" ? "memory:" : server.connectionString);
    await fill(storage);
    const differences: unknown[] = [];
    for (const mergeOption of ["appendOnly", "preserveChanges", "noTracking"] as const)
      for (const unreadableRows of ["error", "skip"] as const)
        for (const [entityClass] of layouts)
          for (const [at, shape] of shapes.entries()) {
            const [own, other] = await Promise.all(
              [storage, withoutBytes(storage)].map((each) =>
                outcomeOf(() =>
                  shape(new TableContext(each, { mergeOption, unreadableRows }), entityClass as typeof Plain),
                ),
              ),
            );
            if (own !== other) differences.push({ at, name: entityClass.name, mergeOption, own, other });
          }

    expect(differences.slice(0, 1)).toEqual([]);
  },
);
