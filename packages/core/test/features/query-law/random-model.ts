import { legalKey } from "@partita/testing/arbitraries";
import { fc } from "@fast-check/vitest";
import {
  binary,
  bool,
  dateTime,
  defineEntity,
  double,
  type EntityClass,
  enumOf,
  guid,
  int32,
  int64,
  text,
  Ticks,
} from "../../../src/index.ts";
import type { AnyPropertyType } from "../../../src/models.ts";
import {
  type AnyKeyFormat,
  bucket,
  constant,
  day,
  descending,
  escaped,
  hour,
  month,
  newestFirst,
  oldestFirst,
  padded,
  padded64,
  slices,
  ulid,
  verbatim,
  week,
} from "../../../src/keys.ts";

/** A property or key part of a random model: what its values and operands may be. */
export interface Field {
  readonly name: string;
  readonly values: fc.Arbitrary<unknown>;
  readonly operands: fc.Arbitrary<unknown>;
  readonly isText: boolean;
  /** Types without an order compare by `eq`, `ne` and `in` only. */
  readonly isOrdered: boolean;
  /** Whether rows may lack it, and what it reads as then. */
  readonly isOptional: boolean;
  readonly initial?: unknown;
}

export interface RandomModel {
  readonly entityClass: EntityClass;
  readonly fields: readonly Field[];
  readonly description: string;
}

const small = [
  "",
  "A",
  "A1",
  "a",
  "_",
  "`",
  "é",
  "\u{10000}",
  "\uffff",
  "a/b",
  "!",
  '"',
  ".",
  "~",
  ".\u0080",
];
// oxlint-disable-next-line no-control-regex
const legalSmall = small.filter((value) => !/[/\u007f-\u009f]/.test(value));
const dates = [
  "2008-05-31T23:59:59.999Z",
  "2008-06-01",
  "2008-06-01T00:00:00.001Z",
  "2008-06-09",
  "2008-10-03T09:00:00Z",
  "2009-01-01",
].map((iso) => new Date(iso));
const date = fc.constantFrom(...dates);
const ticks = fc
  .tuple(date, fc.constantFrom(0n, 1n, 9_999n))
  .map(([at, more]) => new Ticks(Ticks.fromDate(at).value + more));
const time = fc.oneof(date, ticks);
const guids = [
  "00000000-0000-0000-0000-000000000000",
  "4185404a-5818-48c3-b9be-f217df0dba6f",
  "ffffffff-ffff-4fff-8fff-ffffffffffff",
];
const ulids = ["00000000000000000000000000", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"];
const shortInt = fc.integer({ min: -6, max: 6 });

type KeyKind = readonly [
  format: AnyKeyFormat,
  values: fc.Arbitrary<unknown>,
  operands?: fc.Arbitrary<unknown>,
];

const textOperand = fc.constantFrom(...small);
const keyKinds: readonly KeyKind[] = [
  [verbatim, fc.oneof(fc.constantFrom(...legalSmall), legalKey(3)), textOperand],
  [escaped, textOperand],
  [padded(2), fc.nat(12), fc.constantFrom(-1, 0, 1.5, 7, 12, 100)],
  [
    padded(1, { signed: true }),
    fc.integer({ min: -5, max: 4 }),
    fc.oneof(shortInt, fc.constantFrom(0.5, 99)),
  ],
  [padded64(20, { offset: 2n ** 63n }), fc.constantFrom(-(2n ** 63n), -1n, 0n, 2n ** 63n - 1n)],
  [descending(padded(1)), fc.nat(9), fc.integer({ min: -1, max: 10 })],
  [newestFirst, date, time],
  [oldestFirst, date, time],
  [newestFirst({ ticks: true }), ticks, time],
  [oldestFirst({ ticks: true }), ticks, time],
  [guid, fc.constantFrom(...guids), fc.constantFrom(...guids, "4185", "z")],
  [ulid, fc.constantFrom(...ulids), fc.constantFrom(...ulids, "01AR")],
  [descending(ulid), fc.constantFrom(...ulids), fc.constantFrom(...ulids, "01AR")],
  [constant("BIB:", padded(1)), fc.nat(9)],
  [constant("Full"), fc.constant("Full"), fc.constantFrom("Full", "Half")],
];

interface TypeKind {
  readonly type: AnyPropertyType;
  readonly values: fc.Arbitrary<unknown>;
  readonly operands?: fc.Arbitrary<unknown>;
  readonly isOrdered?: false;
  readonly initial?: unknown;
}

/** Types of stored properties; `times` are what their dates are drawn from. */
const typeKinds = (times: fc.Arbitrary<Ticks>): readonly TypeKind[] => [
  { type: text().optional(), values: textOperand },
  { type: text().default("A"), values: textOperand, initial: "A" },
  { type: int32().default(2), values: shortInt, initial: 2 },
  { type: int32().optional(), values: shortInt },
  { type: int64().optional(), values: fc.constantFrom(0n, 2n ** 53n + 1n, -1n) },
  {
    type: double().optional(),
    values: fc.constantFrom(
      0,
      -0,
      1,
      1.5,
      -1,
      7,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ),
  },
  { type: double().default(1), values: fc.constantFrom(0, 1, 1.5, Number.NaN), initial: 1 },
  { type: bool().optional(), values: fc.boolean(), isOrdered: false },
  { type: bool().default(false), values: fc.boolean(), isOrdered: false, initial: false },
  { type: dateTime().optional(), values: times, operands: date },
  { type: dateTime({ ticks: true }).optional(), values: times, operands: fc.oneof(date, times) },
  { type: guid().optional(), values: fc.constantFrom(...guids), isOrdered: false },
  {
    type: binary().optional(),
    values: fc.constantFrom(new Uint8Array(), new Uint8Array([0]), new Uint8Array([0, 255])),
    isOrdered: false,
  },
  { type: enumOf(["red", "green"]).optional(), values: fc.constantFrom("red", "green"), isOrdered: false },
];

const slicings = [
  month,
  week(newestFirst),
  day(newestFirst),
  hour,
  slices({ by: month(newestFirst) }, { months: [6, 7, 8], by: week(newestFirst) }),
  slices({ by: month }, { from: "2008-10", by: [day, month] }),
];

/** A part made of a date among the others, or a bucket of any of them. */
interface Derivation {
  readonly format: AnyKeyFormat;
  readonly needsDate: boolean;
}
const derivation: fc.Arbitrary<Derivation | undefined> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constantFrom(...slicings).map((format) => ({ format, needsDate: true })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(2, 4).map((count) => ({ format: bucket(count), needsDate: false })),
  },
);

let made = 0;

export interface ModelOptions {
  /** Whether stored dates may have digits below the millisecond. */
  readonly hasTicks: boolean;
}

/** Models of one to three parts in each key and up to four properties, of all formats and types. */
export const randomModel = ({ hasTicks }: ModelOptions): fc.Arbitrary<RandomModel> =>
  fc
    .record({
      partition: fc.array(fc.constantFrom(...keyKinds), { minLength: 1, maxLength: 2 }),
      row: fc.array(fc.constantFrom(...keyKinds), { minLength: 1, maxLength: 3 }),
      types: fc.array(
        fc.constantFrom(...typeKinds(hasTicks ? ticks : date.map((at) => Ticks.fromDate(at)))),
        {
          maxLength: 4,
        },
      ),
      separator: fc.constantFrom(undefined, "_", "__", "|"),
      derived: derivation,
    })
    .map(({ partition, row, types, separator, derived }) => {
      const fields: Field[] = [];
      const partitionKey: Record<string, AnyKeyFormat> = {};
      const rowKey: Record<string, AnyKeyFormat> = {};
      const properties: Record<string, AnyPropertyType> = {};
      const addPart = (
        keys: Record<string, AnyKeyFormat>,
        name: string,
        [format, values, operands]: KeyKind,
      ): void => {
        keys[name] = format;
        fields.push({
          name,
          values,
          operands: operands ?? values,
          isText: ["verbatim", "escaped", "guid", "ulid", "descending(ulid)"].includes(format.format),
          isOrdered: format.literal === undefined,
          isOptional: false,
        });
      };
      for (const [i, kind] of partition.entries()) addPart(partitionKey, `p${i}`, kind);
      for (const [i, kind] of row.entries()) addPart(rowKey, `r${i}`, kind);
      for (const [i, { type, values, operands = values, isOrdered = true, initial }] of types.entries()) {
        properties[`v${i}`] = i === 0 ? type.named("Stored") : type;
        fields.push({
          name: `v${i}`,
          values,
          operands,
          isText: type.serializer.name === "Text",
          isOrdered,
          isOptional: true,
          initial,
        });
      }
      if (derived?.needsDate === true) {
        // Its source: a date of the RowKey where there is one, else a stored property.
        const own = row.findIndex(([format]) => format === newestFirst || format === oldestFirst);
        if (own < 0) {
          properties["at"] = dateTime();
          fields.push({
            name: "at",
            values: date,
            operands: date,
            isText: false,
            isOrdered: true,
            isOptional: false,
          });
        }
        partitionKey[own < 0 ? "at" : `r${own}`] = derived.format;
      } else if (derived !== undefined) partitionKey["r0"] = derived.format;
      // What a part is derived from is asked for more often: its conditions are planned twice.
      const source = fields.find(
        ({ name }) => name in partitionKey && (name in rowKey || name in properties),
      );
      if (source !== undefined) fields.push(source, source, source);
      const isEscaped = Object.values({ ...partitionKey, ...rowKey }).includes(escaped);
      const entityClass = defineEntity({
        table: `Law${made++}`,
        partitionKey,
        rowKey,
        properties,
        ...(separator !== undefined && !isEscaped && { separator }),
      });
      const describe = (keys: Record<string, AnyKeyFormat>): string =>
        Object.entries(keys)
          .map(([name, { format }]) => `${name}: ${format}`)
          .join(", ");
      const stored = Object.entries(properties).map(
        ([name, { serializer, presence }]) => `${name}: ${serializer.name} ${presence}`,
      );
      const description = `{ ${describe(partitionKey)} } { ${describe(rowKey)} } { ${stored.join(", ")} } separator ${isEscaped ? "!" : separator}`;
      return { entityClass, fields, description } satisfies RandomModel;
    });
