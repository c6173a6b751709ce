import { describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  type EntityClass,
  int32,
  int64,
  json,
  openStorage,
  type PropertyType,
  TableContext,
  text,
} from "../../../src/index.ts";
import { modelOf } from "../../../src/models.ts";
import { constant, padded } from "../../../src/keys.ts";

const keys = { partitionKey: { tenant: text() }, rowKey: { id: text() } } as const;

/** Properties that TypeScript would refuse. */
type Unchecked = Record<string, PropertyType<string>>;

function errorOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("a class that is declared wrongly is refused, naming class, property and remedy", () => {
  test.each<[name: string, code: string, entity: EntityClass, message: RegExp]>([
    [
      "an illegal table name",
      "model.table-name",
      defineEntity({ table: "my-table", ...keys, properties: {} }),
      /"my-table".*3 to 63 letters/,
    ],
    [
      "the reserved table name",
      "model.table-name",
      defineEntity({ table: "Tables", ...keys, properties: {} }),
      /not "tables"/,
    ],
    [
      "no PartitionKey",
      "model.key-missing",
      defineEntity({ table: "Things", partitionKey: {}, rowKey: { id: text() }, properties: {} }),
      /no PartitionKey.*Mark at least one/,
    ],
    [
      "a property in key and store",
      "model.property-twice",
      defineEntity({ table: "Things", ...keys, properties: { id: text() } as Unchecked }),
      /\.id is declared twice/,
    ],
    [
      "two properties of one stored name",
      "model.stored-name-twice",
      defineEntity({
        table: "Things",
        ...keys,
        properties: { a: text(), b: text().named("a") } as Unchecked,
      }),
      /\.b is stored as "a"/,
    ],
    [
      "the kind's stored name",
      "model.stored-name-twice",
      defineEntity({ table: "Things", ...keys, kind: "X", properties: { Kind: text() } as Unchecked }),
      /so is the kind/,
    ],
    [
      "a system name",
      "model.property-name",
      defineEntity({ table: "Things", ...keys, properties: { t: text().named("Timestamp" as string) } }),
      /"Timestamp".*another stored name/,
    ],
    [
      "an illegal stored name",
      "model.property-name",
      defineEntity({ table: "Things", ...keys, properties: { t: text().named("a-b") } }),
      /"a-b"/,
    ],
    [
      "a name objects use",
      "model.reserved-name",
      defineEntity({ table: "Things", ...keys, properties: { then: text() } as Unchecked }),
      /\.then has a name/,
    ],
    [
      "a default of another type",
      "model.default",
      defineEntity({ table: "Things", ...keys, properties: { n: int32().default(1.5) } }),
      /\.n has a default/,
    ],
    [
      "a version below 1",
      "model.version",
      defineEntity({ table: "Things", ...keys, properties: {}, version: 0 }),
      /Count from 1/,
    ],
    [
      "a separator keys cannot hold",
      "model.separator",
      defineEntity({ table: "Things", ...keys, properties: {}, separator: "/" }),
      /separator/,
    ],
    [
      "a key part without format",
      "model.key-format",
      defineEntity({
        table: "Things",
        partitionKey: { tenant: text() },
        rowKey: { id: int64() as never },
        properties: {},
      }),
      /\.id, part of a key, is declared as the property type Int64.*padded64/,
    ],
    [
      "a literal with the separator",
      "model.key-literal",
      defineEntity({
        table: "Things",
        partitionKey: { tenant: text() },
        rowKey: { a: constant("x_y"), id: text() },
        properties: {},
      }),
      /"x_y".*separator/,
    ],
  ])("%s: %s", (_name, code, entity, message) => {
    const error = errorOf(() => modelOf(entity));

    expect(error).toMatchObject({ name: "ModelError", code });
    expect((error as Error).message).toMatch(message);
  });

  test("more than 252 properties", () => {
    const properties = Object.fromEntries(Array.from({ length: 253 }, (_, i) => [`p${i}`, text()]));

    expect(() => modelOf(defineEntity({ table: "Things", ...keys, properties }))).toThrow(
      /253 properties.*252/,
    );
  });
});

test("an unknown class is told apart from an entity", async () => {
  class Plain {}
  await using storage = await openStorage("memory:");
  await using context = new TableContext(storage);

  expect(errorOf(() => context.query(Plain))).toMatchObject({ code: "model.not-an-entity" });
  expect(errorOf(() => context.add(new Plain()))).toMatchObject({ code: "model.not-an-entity" });
  expect(errorOf(() => context.add({}))).toMatchObject({ code: "model.not-an-entity" });
  expect(() => context.query(Plain)).toThrow(/Plain is not an entity.*defineEntity or with @Table/);
});

test("two classes with one kind are refused where they meet", async () => {
  class Base extends defineEntity({ table: "Things", ...keys, properties: {} }) {}
  class Left extends defineKind(Base, { kind: "Same" }) {}
  class Right extends defineKind(Base, { kind: "Same" }) {}
  await using storage = await openStorage("memory:");

  await expect(createTables(storage, [Left, Right])).rejects.toMatchObject({ code: "model.kind-twice" });
  await using context = new TableContext(storage);
  expect(() => context.query(Base)).toThrow(/are both the kind "Same" of table Things/);
});

test("classes of two tables, or without kinds in one, are refused in one query", async () => {
  class A extends defineEntity({ table: "Things", ...keys, properties: {} }) {}
  class B extends defineEntity({ table: "Others", ...keys, properties: {} }) {}
  class C extends defineEntity({ table: "things", ...keys, properties: {} }) {}
  await using storage = await openStorage("memory:");
  await using context = new TableContext(storage);

  expect(errorOf(() => context.query([A, B]))).toMatchObject({ code: "model.other-table" });
  expect(errorOf(() => context.query([A, C]))).toMatchObject({ code: "model.no-kind" });
});

test("a base of kinds is not stored itself", async () => {
  class Base extends defineEntity({ table: "Things", ...keys, properties: {} }) {}
  defineKind(Base, { kind: "Left" });
  await using storage = await openStorage("memory:");
  await using context = new TableContext(storage);

  expect(errorOf(() => context.add(new Base({ tenant: "t", id: "1" })))).toMatchObject({
    code: "model.base-of-kinds",
  });
});

test("a model is plain frozen data, built once", () => {
  class Thing extends defineEntity({
    table: "Things",
    partitionKey: { tenant: text() },
    rowKey: { number: padded(5) },
    properties: { tags: json<string[]>().default([]) },
  }) {}

  const model = modelOf(Thing);

  expect(modelOf(Thing)).toBe(model);
  expect(
    [model, model.properties, model.properties[0], model.rowKey, model.options].every(Object.isFrozen),
  ).toBe(true);
});

test("defaults that can be changed in place are not shared", () => {
  class Thing extends defineEntity({
    table: "Things",
    ...keys,
    properties: { tags: json<string[]>().default([]) },
  }) {}
  const [a, b] = [new Thing({ tenant: "t", id: "1" }), new Thing({ tenant: "t", id: "2" })];

  a.tags.push("x");

  expect(b.tags).toEqual([]);
});

test("a constructor that needs arguments is served by a create factory", async () => {
  class Thing extends defineEntity({
    table: "Things",
    ...keys,
    properties: { name: text() },
    notStored: ["origin"],
    create: (): object => new Thing("made by the factory"),
  }) {
    constructor(readonly origin: string) {
      super();
      if (origin === undefined) throw new TypeError("origin is needed");
    }
  }
  await using storage = await openStorage("memory:");
  await createTables(storage, [Thing]);
  await using context = new TableContext(storage);

  const thing = context.create(Thing, { tenant: "t", id: "1", name: "n" });

  expect(thing.origin).toBe("made by the factory");
  await context.saveChanges();
});
