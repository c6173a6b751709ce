import { isDeepStrictEqual } from "node:util";
import { legalKey, storedName, storedValue } from "@partita/testing/arbitraries";
import { fc } from "@fast-check/vitest";
import { describe, expect, test, vi } from "vitest";
import {
  type AnyPropertyType,
  binary,
  bool,
  convert,
  dateTime,
  defineEntity,
  double,
  type EntityClass,
  enumOf,
  guid,
  int32,
  int64,
  json,
  type StoredEntity,
  text,
} from "../../src/index.ts";
import { padded } from "../../src/keys.ts";
import { modelOf } from "../../src/models.ts";
import { upgrades, add } from "../../src/upgrades.ts";
import { codeOf, compileCodec } from "../../src/codec/compile-codec.ts";
import type { EntityCodec } from "../../src/codec/entity-codec.ts";
import { loopCodec } from "../../src/codec/loop-codec.ts";

// The compiled codec of a class does what loops over its properties do: values, snapshots, sizes and errors.

const models = Number(process.env["PARTITA_CODEC_MODELS"] ?? 500);
const rowsOfModel = 100;

/** Every type of property, by how it is declared. */
const types: readonly (() => AnyPropertyType)[] = [
  text,
  bool,
  int32,
  int64,
  double,
  dateTime,
  guid,
  binary,
  () => json<unknown>(),
  () => enumOf(["open", "done"]),
  () => convert<URL>({ toText: (url) => url.href, fromText: (href) => new URL(href) }),
  () => int32().storedAs("Edm.String", "Edm.Double"),
  () => double().storedAs("Edm.Int32", "Edm.Int64"),
  () => text().named("Zürich"),
];

/** Values that are unusual as stored ones, and those of a property's own type. */
const stored = fc.oneof(
  { weight: 4, arbitrary: storedValue() },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom<readonly [unknown, unknown]>(
        ["open", undefined],
        ["https://partita.example/", undefined],
        ['{"a":[1]}', undefined],
        ["{", undefined],
        [0, undefined],
        [-0, undefined],
        [2 ** 31, undefined],
        [Number.POSITIVE_INFINITY, undefined],
        [1e-7, undefined],
        [1.5, undefined],
        [7, "Edm.Double"],
        ["7", undefined],
        ["2013-08-02T17:37:43.9004348Z", "Edm.DateTime"],
        ["2013-08-02T17:37:43Z", "Edm.DateTime"],
        ["2013-02-30T17:37:43Z", "Edm.DateTime"],
        ["4185404A-5818-48C3-B9BE-F217DF0DBA6F", "Edm.Guid"],
        ["9223372036854775808", "Edm.Int64"],
        ["-9223372036854775808", "Edm.Int64"],
        ["1 2", "Edm.Int64"],
        ["AAECAwQFBgcICQ==", "Edm.Binary"],
        ["AAE", "Edm.Binary"],
        ["A=EC", "Edm.Binary"],
        ["text", "Edm.String"],
        [true, "Edm.Boolean"],
        [5, "Edm.Int32"],
        [{ a: 1 }, undefined],
        [null, undefined],
        ["x", { a: 1 }],
      )
      .map(([value, annotation]) => ({ value, annotation })),
  },
);

/** What a program may assign, right or wrong. */
const assigned = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    "open",
    "a\ud800",
    "x".repeat(32_769),
    0,
    -0,
    1e-7,
    1.5,
    2 ** 31,
    Number.NaN,
    5n,
    2n ** 63n,
    new Date(0),
    new Date(Number.NaN),
    new Date(-1e14),
    new URL("https://partita.example/"),
    { a: [1] },
    "4185404a-5818-48c3-b9be-f217df0dba6f",
    Symbol("no value"),
  ),
  fc.string({ maxLength: 6 }),
  fc.integer(),
  fc.double(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.date({ noInvalidDate: true, min: new Date(0) }),
  fc.uint8Array({ maxLength: 60 }),
  fc.boolean(),
);

const presence = fc.constantFrom("required", "optional", "default");

interface RandomClass {
  readonly entityClass: EntityClass;
  readonly names: readonly string[];
}

/** Steps are typed by the versions before them, which a version made at random has none of. */
const chainOver = upgrades as unknown as (properties: Readonly<Record<string, AnyPropertyType>>) => {
  to(version: number, ...steps: readonly unknown[]): unknown;
};

function classOf(
  chosen: readonly (readonly [number, string])[],
  hasTwoParts: boolean,
  version: number | "chain" | undefined,
  proof: string,
): RandomClass {
  const typeAt = (index: number, present: string): AnyPropertyType => {
    const type = (types[index] as (typeof types)[number])() as ReturnType<typeof text>;
    if (present === "required") return type;
    return present === "default" && index === 0 ? type.default("none") : type.optional();
  };
  const properties = Object.fromEntries(
    chosen.map(([index, present], i) => [`p${i}`, typeAt(index, present)]),
  );
  const versions = {
    2: { version: 2 },
    chain: { version: chainOver(properties).to(2, add("added", text(), "later")) },
  };
  const declaration = {
    table: "Randoms",
    partitionKey: hasTwoParts ? { a: padded(2), b: text() } : { b: text() },
    rowKey: { id: text() },
    properties: version === "chain" ? { ...properties, added: text() } : properties,
    proof,
    ...(version !== undefined && versions[version as 2 | "chain"]),
  };
  const entityClass = class extends defineEntity(
    // A declaration that is put together at run time has no type of its own.
    declaration as unknown as Parameters<typeof defineEntity>[0],
  ) {} as EntityClass;
  return { entityClass, names: Object.keys(declaration.properties) };
}

const randomClass = fc
  .tuple(
    fc.array(fc.tuple(fc.nat(types.length - 1), presence), { minLength: 1, maxLength: 8 }),
    fc.boolean(),
    fc.constantFrom<2 | "chain" | undefined>(undefined, 2, "chain"),
    fc.constantFrom("content", "id"),
  )
  .map((declared) => classOf(...declared))
  // Two properties of one stored name are refused when the class is built.
  .filter(({ entityClass }) => isBuildable(entityClass));

function isBuildable(entityClass: EntityClass): boolean {
  try {
    modelOf(entityClass);
    return true;
  } catch {
    return false;
  }
}

const rowOf = ({ entityClass }: RandomClass): fc.Arbitrary<StoredEntity> => {
  const model = modelOf(entityClass);
  return fc
    .record({
      partitionKey: fc.oneof(fc.constant("07_p"), legalKey(6)),
      rowKey: legalKey(6),
      system: fc.constantFrom({}, { Timestamp: "2026-11-22T00:00:00.1234567Z", "odata.etag": 'W/"1"' }),
      version: fc.constantFrom<unknown>(undefined, 1, 2, 3, "2"),
      ids: fc.constantFrom({}, { _m: "a", _h: "b c" }),
      values: fc.array(fc.option(stored, { freq: 6 }), {
        minLength: model.properties.length,
        maxLength: model.properties.length,
      }),
      more: fc.array(fc.tuple(storedName(), storedValue()), { maxLength: 2 }),
    })
    .map(({ partitionKey, rowKey, system, version, ids, values, more }) => {
      const members: [string, unknown][] = [
        ["PartitionKey", partitionKey],
        ["RowKey", rowKey],
        ...Object.entries({ ...system, ...ids }),
        ...(version === undefined ? [] : [["SchemaVersion", version] as [string, unknown]]),
      ];
      for (const [i, property] of model.properties.entries()) {
        const found = values[i];
        if (found === null || found === undefined) continue;
        if (found.annotation !== undefined) members.push([property.annotationName, found.annotation]);
        members.push([property.storedName, found.value]);
      }
      for (const [name, { value, annotation }] of more) {
        if (annotation !== undefined) members.push([`${name}@odata.type`, annotation]);
        members.push([name, value]);
      }
      return Object.fromEntries(members) as unknown as StoredEntity;
    });
};

/** What a call returns, or the error it throws; in a form that shows the sign of zero and the order of members. */
function outcomeOf(call: () => unknown): unknown {
  try {
    return told(call());
  } catch (error) {
    const { code, message, details } = error as { code?: string; message: string; details?: unknown };
    return { code, message, details };
  }
}

const told = (value: unknown): unknown => {
  if (Object.is(value, -0)) return "-0";
  if (typeof value !== "object" || value === null || value instanceof Date || ArrayBuffer.isView(value))
    return value;
  if (value instanceof URL) return value.href;
  return [value.constructor?.name, Object.entries(value).map(([name, member]) => [name, told(member)])];
};

test(`${models} random classes, ${rowsOfModel} rows and entities each: compiled code does what loops do`, () => {
  // Of rows without required values.
  vi.spyOn(process, "emitWarning").mockReturnValue();
  const differences: unknown[] = [];
  let decoded = 0;
  for (const random of fc.sample(randomClass, models)) {
    const model = modelOf(random.entityClass);
    const compiled = compileCodec(model) as EntityCodec;
    const loop = loopCodec(model);
    const compare = (work: (codec: EntityCodec) => unknown, of: unknown): unknown => {
      const [found, expected] = [compiled, loop].map((codec) => outcomeOf(() => work(codec)));
      if (!isDeepStrictEqual(found, expected)) differences.push({ of, found, expected });
      return expected;
    };
    for (const row of fc.sample(rowOf(random), rowsOfModel / 2)) {
      const isStrict = row.RowKey.length % 2 === 0;
      // Each reads a copy: upgraded rows are remembered.
      const read = compare((codec) => codec.readTracked(structuredClone(row), isStrict), row);
      compare((codec) => codec.read(structuredClone(row), isStrict), row);
      if (Array.isArray(read)) decoded++;
    }
    const values = fc.record(Object.fromEntries(random.names.map((name) => [name, assigned])));
    for (const each of fc.sample(values, rowsOfModel / 2)) {
      const entity = Object.assign(Object.create(random.entityClass.prototype as object) as object, each);
      compare((codec) => codec.write(entity, { partitionKey: "07_p", rowKey: "r" }), each);
    }
  }

  expect(differences.slice(0, 3)).toEqual([]);
  expect(decoded).toBeGreaterThan(models);
});

describe("the code that is compiled is as reviewers have read it", () => {
  class Note extends defineEntity({
    table: "Notes",
    partitionKey: { book: text() },
    rowKey: { id: text() },
    properties: { title: text(), pages: int32().optional(), at: dateTime().default(new Date(0)) },
  }) {}
  class Order extends defineEntity({
    table: "Orders",
    partitionKey: { shop: padded(2), day: text() },
    rowKey: { id: text() },
    properties: { amount: double(), state: enumOf(["open", "done"]), label: text() },
    version: upgrades({ amount: double(), state: enumOf(["open", "done"]) }).to(
      2,
      add("label", text(), "none"),
    ),
    proof: "id",
  }) {}
  class Hostile extends defineEntity({
    table: "Hostiles",
    partitionKey: { part: text() },
    rowKey: { id: text() },
    properties: {
      ['a"]=1;globalThis.pwned=1;//']: text().named("Hostile"),
      image: binary(),
      views: int64().storedAs("Edm.String"),
    },
  }) {}

  test.each([Note, Order, Hostile])("%o", async (entityClass) => {
    const code = codeOf(modelOf(entityClass));
    await expect(`${code}\n`).toMatchFileSnapshot(`code/${entityClass.name}.txt`);
  });
});
