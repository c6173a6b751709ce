import { isDeepStrictEqual } from "node:util";
import { amountOf } from "@partita/test-support/effort";
import { legalKey, storedName, storedValue } from "@partita/testing/arbitraries";
import { fc } from "@fast-check/vitest";
import { seedOf } from "@partita/test-support/seed";
import { describe, expect, test } from "vitest";
import { binary, dateTime, defineEntity, double, enumOf, int32, int64, text } from "../../../src/index.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { padded } from "../../../src/keys.ts";
import { modelOf } from "../../../src/models.ts";
import { upgrades, add } from "../../../src/upgrades.ts";
import { codeOf, compileCodec } from "../../../src/model/codec/compile-codec.ts";
import { valueIn } from "../../../src/model/codec/embedded-values.ts";
import { isAbsent } from "../../../src/model/codec/is-absent.ts";
import { keyValuesOf } from "../../../src/model/codec/decode-entity.ts";
import type { DecodedEntity, EntityCodec } from "../../../src/model/codec/entity-codec.ts";
import { loopCodec } from "../../../src/model/codec/loop-codec.ts";
import { notLoaded } from "../../../src/model/codec/snapshot.ts";
import { outcomeOf, type RandomClass, randomClass, stored } from "./random-classes.ts";
import { newImage } from "../../../src/model/codec/row-layout.ts";
import { encodeProperty } from "../../../src/model/codec/snapshot.ts";
import type { EntityModel } from "../../../src/model/declaration/entity-model.ts";
import { ByteWriter } from "../../../src/values/edm/byte-writer.ts";
import { printEntity } from "../../../src/values/edm/print-entity.ts";

// The compiled codec of a class does what loops over its properties do: values, snapshots, sizes and errors.

const models = Number(process.env["PARTITA_CODEC_MODELS"] ?? amountOf({ short: 100, full: 200, long: 5000 }));
const rowsOfModel = 100;
/** Of the first class and its values; each class after it has the next one, so that no two have the same values. */
const firstSeed = seedOf("PARTITA_CODEC_SEED", 1);

/** What a program may assign to a property that is no object, right or wrong. */
const assignedValue = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    "open",
    "a\ud800",
    'line\n\u0001"\\end',
    "x".repeat(32_769),
    "é".repeat(300),
    "two\nlines",
    'quotes " and \\ and \n and \u2028 and 😀 and \u0000',
    `${"long ".repeat(100)}😀"\u2029`,
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

/** The same, and objects of some or all members of the embedded ones. */
const assigned = fc.oneof(
  { weight: 4, arbitrary: assignedValue },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        street: fc.oneof(fc.string({ maxLength: 6 }), assignedValue),
        city: fc.oneof(fc.string({ maxLength: 6 }), assignedValue),
        geo: fc.oneof(
          fc.record({ x: fc.oneof(fc.integer(), assignedValue) }, { requiredKeys: [] }),
          assignedValue,
        ),
      },
      { requiredKeys: [] },
    ),
  },
);

const rowOf = ({ entityClass }: RandomClass): fc.Arbitrary<StoredEntity> => {
  const model = modelOf(entityClass);
  return fc
    .record({
      partitionKey: fc.oneof(fc.constant("07_p"), legalKey(6)),
      rowKey: legalKey(6),
      system: fc.constantFrom({}, { Timestamp: "2026-11-22T00:00:00.1234567Z", "odata.etag": 'W/"1"' }),
      version: fc.constantFrom<unknown>(undefined, 1, 2, 3, "2"),
      values: fc.array(fc.option(stored, { freq: 6 }), {
        minLength: model.properties.length,
        maxLength: model.properties.length,
      }),
      more: fc.array(fc.tuple(storedName(), storedValue()), { maxLength: 2 }),
    })
    .map(({ partitionKey, rowKey, system, version, values, more }) => {
      const members: [string, unknown][] = [
        ["PartitionKey", partitionKey],
        ["RowKey", rowKey],
        ...Object.entries(system),
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

const key = { partitionKey: "07_p", rowKey: 'r"\u2028é😀' };

/** The row of an entity, property by property. */
function rowOfMembers(model: EntityModel, entity: Readonly<Record<string, unknown>>): StoredEntity {
  const row = newImage(model, key);
  for (const property of model.properties) {
    const value = valueIn(property, entity);
    if (!isAbsent(property, value)) encodeProperty(property, value, row);
  }
  return row;
}

type Values = Readonly<Record<string, unknown>>;
type Compare = (work: (codec: EntityCodec) => unknown, of: unknown) => unknown;

/** What is found and measured by a snapshot, of which every third value was left out by a projection now and then. */
function compareSnapshots(
  model: EntityModel,
  { entity, snapshot }: DecodedEntity,
  edits: Values,
  n: number,
  compare: Compare,
): void {
  const values = snapshot.values.map((value, i) => ((n + i) % 9 === 0 ? notLoaded : value));
  const key = { partitionKey: "07_p", rowKey: "r" };
  const keyValues = model.hasVerbatimKeys ? undefined : keyValuesOf(model, entity);
  const names = Object.keys(edits);
  // As it was read, with one edit, and with another value everywhere.
  const one = { ...entity, [names[n % names.length] as string]: edits[names[n % names.length] as string] };
  for (const edited of [entity, one, { ...entity, ...edits }, { ...entity, b: "other" }]) {
    for (const each of [snapshot.values, values])
      compare((codec) => codec.changes(edited as Values, each, { ...key, keyValues }), edited);
  }
  const partly = { ...snapshot, values };
  compare((codec) => codec.size(5, partly), partly);
}

test(`${models} random classes, ${rowsOfModel} rows and entities each: compiled code does what loops do`, () => {
  const differences: unknown[] = [];
  let decoded = 0;
  let encoded = 0;
  const classes = fc.sample(randomClass, { numRuns: models, seed: firstSeed });
  for (const [at, random] of classes.entries()) {
    const ofModel = { numRuns: rowsOfModel / 2, seed: firstSeed + at };
    const model = modelOf(random.entityClass);
    const compiled = compileCodec(model) as EntityCodec;
    const loop = loopCodec(model);
    const tracked: DecodedEntity[] = [];
    const compare = (work: (codec: EntityCodec) => unknown, of: unknown): unknown => {
      const [found, expected] = [compiled, loop].map((codec) => outcomeOf(() => work(codec)));
      if (!isDeepStrictEqual(found, expected)) differences.push({ of, found, expected });
      return expected;
    };
    for (const row of fc.sample(rowOf(random), ofModel)) {
      // Each reads a copy: upgraded rows are remembered.
      const read = compare((codec) => codec.readTracked(structuredClone(row)), row);
      if (!Array.isArray(read)) continue;
      decoded++;
      tracked.push(loop.readTracked(structuredClone(row)));
    }
    const values = fc.record(Object.fromEntries(random.names.map((name) => [name, assigned])));
    for (const [n, each] of fc.sample(values, ofModel).entries()) {
      const entity = Object.assign(Object.create(random.entityClass.prototype as object) as object, each);
      const written = compare((codec) => codec.write(entity, key), each);
      if (Array.isArray(written)) {
        encoded++;
        const { values } = loop.write(entity, key);
        const expected = printEntity(rowOfMembers(model, entity));
        for (const codec of [compiled, loop]) {
          const found = ByteWriter.write((into) => codec.print(into, key, values)).toString();
          if (found !== expected) differences.push({ of: each, found, expected });
          const keys = printEntity({ PartitionKey: key.partitionKey, RowKey: key.rowKey });
          const members = ByteWriter.write((into) => codec.printMembers(into, values)).toString();
          if (keys.slice(0, -1) + members !== expected)
            differences.push({ of: each, found: members, expected });
        }
      }
      const read = tracked[n];
      if (read !== undefined) compareSnapshots(model, read, each, n, compare);
    }
  }

  expect(differences.slice(0, 3), `PARTITA_CODEC_SEED=${firstSeed}`).toEqual([]);
  expect(decoded).toBeGreaterThan(models / 2);
  expect(encoded).toBeGreaterThan(models / 10);
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
  }) {}
  class Hostile extends defineEntity({
    table: "Hostiles",
    partitionKey: { part: text() },
    rowKey: { id: text() },
    properties: {
      ['a"]=1;globalThis.pwned=1;//']: text().named("Hostile"),
      image: binary(),
      views: int64().alsoReads("Edm.String"),
    },
  }) {}

  test.each([Note, Order, Hostile])("%o", async (entityClass) => {
    const code = codeOf(modelOf(entityClass));
    await expect(`${code}\n`).toMatchFileSnapshot(`code/${entityClass.name}.txt`);
  });
});
