import { fc, test as propertyTest } from "@fast-check/vitest";
import { hostileText, int64Value, storableDate } from "@partita/testing/arbitraries";
import { describe, expect, test } from "vitest";
import { SerializationError, Ticks } from "../../../src/index.ts";
import type { Serializer } from "../../../src/values/edm/serializer.ts";
import type { EdmType, StoredValue } from "../../../src/values/edm/stored-entity.ts";
import { binarySerializer } from "../../../src/values/edm/binary.ts";
import { binaryInPlaceSerializer } from "../../../src/values/edm/binary-in-place.ts";
import { booleanSerializer } from "../../../src/values/edm/boolean.ts";
import { convertSerializer } from "../../../src/values/edm/convert.ts";
import { dateTimeSerializer } from "../../../src/values/edm/date-time.ts";
import { decimalSerializer } from "../../../src/values/edm/decimal.ts";
import { doubleSerializer } from "../../../src/values/edm/double.ts";
import { enumSerializer } from "../../../src/values/edm/enum.ts";
import { guidSerializer } from "../../../src/values/edm/guid.ts";
import { instantSerializer } from "../../../src/values/edm/instant.ts";
import { int32Serializer } from "../../../src/values/edm/int32.ts";
import { int64Serializer } from "../../../src/values/edm/int64.ts";
import { jsonSerializer } from "../../../src/values/edm/json.ts";
import { plainDateSerializer } from "../../../src/values/edm/plain-date.ts";
import { stringSerializer } from "../../../src/values/edm/string.ts";
import { ticksSerializer } from "../../../src/values/edm/ticks.ts";

const path = { entity: "Blog", property: "value" };

/** Through JSON, as every store and wire takes a value. */
function roundTrip<Value>(serializer: Serializer<Value>, value: Value): Value {
  const encoded = serializer.encode(value, path);
  const overTheWire = JSON.parse(JSON.stringify(encoded)) as StoredValue;
  const annotation: EdmType | undefined = serializer.isAnnotated(encoded) ? serializer.edm : undefined;
  const decoded = serializer.decode(overTheWire, annotation, path);
  const snapshotValue = serializer.keep(overTheWire, decoded, annotation);
  expect(serializer.isUnchanged(snapshotValue, value)).toBe(true);
  expect(serializer.decode(serializer.restore(snapshotValue, path), annotation, path)).toEqual(decoded);
  expect(serializer.sizeOfSnapshotValue?.(snapshotValue) ?? serializer.sizeOf(snapshotValue)).toBe(
    serializer.sizeOf(encoded),
  );
  return decoded;
}

interface SerializerCase<Value> {
  readonly name: string;
  readonly serializer: Serializer<Value>;
  readonly random: fc.Arbitrary<Value>;
  readonly extremes: readonly Value[];
  readonly refused: readonly unknown[];
}

const color = enumSerializer(["red", "green", "'", ""]);
const urls = convertSerializer<URL>({ toText: (url) => url.href, fromText: (text) => new URL(text) });

const wrong = [undefined, null, {}, [], () => 1, Symbol("s"), Object.create(null)];
const bytes = (n: number): Uint8Array => Uint8Array.from({ length: n }, (_, i) => i * 7);
const lines = "\u0000\t\n\r\u2028\u2029\u0085\u00a0\ufeff";

const powersOfTwo = (count: number): bigint[] => Array.from({ length: count }, (_, k) => 2n ** BigInt(k));

/** Written the way it is taught: the sign, and what a division by 1,000 leaves. */
function thousandths(units: bigint): string {
  const size = units < 0n ? -units : units;
  return `${units < 0n ? "-" : ""}${size / 1000n}.${String(size % 1000n).padStart(3, "0")}`;
}

const cases = [
  {
    name: "Text",
    serializer: stringSerializer,
    random: hostileText(100),
    extremes: [
      "",
      " ",
      " x ",
      "007",
      "1e3",
      "true",
      "null",
      "'",
      "''",
      '"',
      "\\",
      "</d:P>",
      "&amp;",
      "\u{1f600}",
      "\u{10ffff}",
      "\uffff",
      "e\u0301",
      "é",
      lines,
      "x".repeat(32_768),
      "é".repeat(32_768),
      "2013-08-02T17:37:43Z",
      "__proto__",
    ],
    refused: [...wrong, 1, 1n, true, new Date(), "\ud800", "a\udc00b", "x".repeat(32_769), new String("x")],
  } satisfies SerializerCase<string>,
  {
    name: "Int32",
    serializer: int32Serializer,
    random: fc.integer(),
    extremes: [
      ...powersOfTwo(31).flatMap((n) => [Number(n) - 1, -Number(n)]),
      2 ** 31 - 1,
      -(2 ** 31),
      255,
      65_536,
      10,
      1e9,
      -1e9,
      7,
      42,
      100,
      999,
      -999,
      2 ** 30,
    ],
    refused: [
      ...wrong,
      2 ** 31,
      -(2 ** 31) - 1,
      0.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1n,
      "1",
      true,
      new Date(),
      1e21,
    ],
  } satisfies SerializerCase<number>,
  {
    name: "Int64",
    serializer: int64Serializer,
    random: int64Value(),
    extremes: [
      ...powersOfTwo(63).flatMap((n) => [n - 1n, -n]),
      2n ** 53n,
      2n ** 53n + 1n,
      -(2n ** 53n) - 1n,
      2n ** 63n - 1n,
      -(2n ** 63n),
      2n ** 31n,
      -(2n ** 31n),
      10n ** 18n,
      9n,
      -9n,
      2n ** 62n,
      123_456_789_012_345_678n,
      7n,
    ],
    refused: [...wrong, 2n ** 63n, -(2n ** 63n) - 1n, 1, "1", true, 1.5, 10n ** 30n],
  } satisfies SerializerCase<bigint>,
  {
    name: "Double",
    serializer: doubleSerializer,
    random: fc.double(),
    extremes: [
      0,
      -0,
      1,
      -1,
      7,
      0.1,
      0.1 + 0.2,
      1e21,
      1e-7,
      1.5e-10,
      5e-324,
      Number.MAX_VALUE,
      Number.MIN_VALUE,
      Number.EPSILON,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      2 ** 53,
      2 ** 53 + 2,
      -1e300,
      1.234_567_890_123_46e24,
      3.0,
      -7,
      2 ** 31,
      1 / 3,
    ],
    refused: [...wrong, 1n, "1", true, new Date(), "NaN", [1]],
  } satisfies SerializerCase<number>,
  {
    name: "Bool",
    serializer: booleanSerializer,
    random: fc.boolean(),
    extremes: [true, false],
    refused: [...wrong, 0, 1, "true", new Boolean(true)],
  } satisfies SerializerCase<boolean>,
  {
    name: "DateTime",
    serializer: dateTimeSerializer,
    random: storableDate(),
    extremes: [
      "1601-01-01T00:00:00.000Z",
      "9999-12-31T23:59:59.999Z",
      "1970-01-01T00:00:00.000Z",
      "1969-12-31T23:59:59.999Z",
      "2000-02-29T23:59:59.001Z",
      "1900-02-28T00:00:00.000Z",
      "2100-03-01T00:00:00.000Z",
      "2024-02-29T00:00:00.000Z",
      "1601-12-31T23:59:59.999Z",
      "2008-10-01T10:00:00.010Z",
      "2016-12-31T23:59:59.100Z",
      "3000-01-01T00:00:00.000Z",
    ].map((t) => new Date(t)),
    refused: [
      ...wrong,
      0,
      "2000-01-01",
      new Date(Number.NaN),
      new Date("1600-12-31T23:59:59.999Z"),
      new Date(8.64e15),
      1n,
    ],
  } satisfies SerializerCase<Date>,
  {
    name: "DateTime ticks",
    serializer: ticksSerializer,
    random: fc
      .bigInt({ min: 504_911_232_000_000_000n, max: 3_155_378_975_999_999_999n })
      .map((t) => new Ticks(t)),
    extremes: [
      "1601-01-01T00:00:00.0000000Z",
      "9999-12-31T23:59:59.9999999Z",
      "2013-08-02T17:37:43.9004348Z",
      "1969-12-31T23:59:59.9999999Z",
      "1970-01-01T00:00:00.0000001Z",
      "2000-02-29T00:00:00.1000000Z",
    ].map((t) => Ticks.parse(t)),
    refused: [
      ...wrong,
      0n,
      new Date(),
      "2013-08-02T17:37:43.9004348Z",
      new Ticks(0n),
      new Ticks(504_911_231_999_999_999n),
    ],
  } satisfies SerializerCase<Ticks>,
  {
    name: "Guid",
    serializer: guidSerializer,
    random: fc.uuid(),
    extremes: [
      "00000000-0000-0000-0000-000000000000",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
      "4185404a-5818-48c3-b9be-f217df0dba6f",
    ],
    refused: [
      ...wrong,
      "",
      "4185404a581848c3b9bef217df0dba6f",
      "{4185404a-5818-48c3-b9be-f217df0dba6f}",
      "{4185404a-5818-48c3-b9be-f217df0dba6f}",
      "4185404a-5818-48c3-b9be-f217df0dba6g",
      "4185404a-5818-48c3-b9be-f217df0dba6f\n",
      1,
    ],
  } satisfies SerializerCase<string>,
  {
    name: "Binary",
    serializer: binarySerializer,
    random: fc.uint8Array({ maxLength: 300 }),
    extremes: [
      bytes(0),
      bytes(1),
      bytes(2),
      bytes(3),
      bytes(255),
      bytes(4096),
      bytes(65_535),
      bytes(65_536),
      bytes(10).subarray(3, 7),
    ],
    refused: [...wrong, bytes(65_537), "AAE=", new ArrayBuffer(2), [1, 2], new Uint16Array(2)],
  } satisfies SerializerCase<Uint8Array>,
  {
    name: "Binary in place",
    serializer: binaryInPlaceSerializer,
    random: fc.uint8Array({ maxLength: 300 }),
    extremes: [bytes(0), bytes(1), bytes(4095), bytes(4096), bytes(65_536), bytes(5000).subarray(3, 4900)],
    refused: [...wrong, bytes(65_537), "AAE=", new ArrayBuffer(2), [1, 2], new Uint16Array(2)],
  } satisfies SerializerCase<Uint8Array>,
  {
    name: "Json",
    serializer: jsonSerializer,
    random: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown), // without -0, which JSON does not have
    extremes: [
      {},
      [],
      null,
      "",
      0,
      false,
      true,
      "x",
      { a: { b: [1, "2", null] } },
      [[[]]],
      { "": 1 },
      "\u2028",
      { then: 1 },
      JSON.parse('{"__proto__":1}'),
      [1.5, 1e21],
    ],
    refused: [
      undefined,
      () => 1,
      Symbol("s"),
      1n,
      { a: 1n },
      Number.NaN,
      [Number.POSITIVE_INFINITY],
      [undefined],
      { f: () => 1 },
      new Map([[1, 2]]),
      { s: new Set() },
      "x".repeat(32_767),
      "\ud800".repeat(20_000),
    ],
  } satisfies SerializerCase<unknown>,
  {
    name: "Enum",
    serializer: color,
    random: fc.constantFrom("red", "green", "'", "" as const),
    extremes: ["red", "green", "'", ""],
    refused: [...wrong, "Red", "blue", 0, "red "],
  } satisfies SerializerCase<"red" | "green" | "'" | "">,
  {
    name: "Decimal",
    serializer: decimalSerializer<string>({ scale: 3 }),
    random: int64Value().map(thousandths),
    extremes: ["0.000", "-0.001", "0.100", "10.000", "9223372036854775.807", "-9223372036854775.808"],
    refused: [...wrong, 1, 1n, true, "", "1.2345", ".5", "5.", "+1", "1e3", "9223372036854775.808", "NaN"],
  } satisfies SerializerCase<string>,
  {
    name: "Decimal in units",
    serializer: decimalSerializer<bigint>({ scale: 3, as: "units" }),
    random: int64Value(),
    extremes: [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)],
    refused: [...wrong, 2n ** 63n, -(2n ** 63n) - 1n, 1, "1", true],
  } satisfies SerializerCase<bigint>,
  {
    name: "PlainDate",
    serializer: plainDateSerializer,
    random: storableDate().map((date) => date.toISOString().slice(0, 10)),
    extremes: ["0001-01-01", "9999-12-31", "2024-02-29", "2000-02-29", "1582-10-10"],
    refused: [
      ...wrong,
      0,
      new Date(0),
      "",
      "2023-02-29",
      "1900-02-29",
      "2024-2-9",
      "0000-01-01",
      "2024-13-01",
    ],
  } satisfies SerializerCase<string>,
  {
    name: "Instant",
    serializer: instantSerializer,
    random: fc
      .bigInt({ min: 504_911_232_000_000_000n, max: 3_155_378_975_999_999_999n })
      .map((t) => new Ticks(t).toString()),
    extremes: [
      "1601-01-01T00:00:00.0000000Z",
      "9999-12-31T23:59:59.9999999Z",
      "1969-12-31T23:59:59.9999999Z",
      "2024-02-29T00:00:00.1000000Z",
    ],
    refused: [
      ...wrong,
      0n,
      new Date(0),
      "",
      "2024-02-29",
      "2024-02-29T10:00:00",
      "2023-02-29T10:00:00Z",
      "2024-02-29T10:00:00.12345678Z",
      "1600-12-31T23:59:59Z",
    ],
  } satisfies SerializerCase<string>,
  {
    name: "Convert",
    serializer: urls,
    random: fc.webUrl().map((url) => new URL(url)),
    extremes: [new URL("https://example.org/?q=%20#x"), new URL("file:///tmp/ü")],
    refused: [undefined, null, {}, { href: "\ud800" }, { href: "x".repeat(40_000) }],
  } satisfies SerializerCase<URL>,
];

describe.each(cases as readonly SerializerCase<unknown>[])(
  "$name",
  ({ serializer, random, extremes, refused }) => {
    propertyTest.prop([random], { numRuns: 2000 })("reads back every value it writes", (value) => {
      expect(roundTrip(serializer, value)).toStrictEqual(value);
    });

    test("reads back the extremes", () => {
      for (const value of extremes) expect(roundTrip(serializer, value)).toStrictEqual(value);
    });

    test("refuses other values with a typed error that names the property and not the value", () => {
      for (const value of refused) {
        expect(() => serializer.encode(value, path)).toThrow(SerializationError);
        expect(() => serializer.encode(value, path)).toThrow(/Blog\.value/);
      }
    });

    test("refuses stored values of other EDM types", () => {
      const foreign: readonly (readonly [StoredValue, EdmType | undefined])[] = [
        ["text", undefined],
        [7, undefined],
        [1.5, undefined],
        [true, undefined],
        ["1", "Edm.Int64"],
        [7, "Edm.Double"],
        ["2000-01-01T00:00:00Z", "Edm.DateTime"],
        ["4185404a-5818-48c3-b9be-f217df0dba6f", "Edm.Guid"],
        ["AAE=", "Edm.Binary"],
      ];
      for (const [value, annotation] of foreign) {
        const found =
          annotation ??
          (typeof value === "string"
            ? "Edm.String"
            : typeof value === "boolean"
              ? "Edm.Boolean"
              : Number.isInteger(value)
                ? "Edm.Int32"
                : "Edm.Double");
        const readsInt32 = serializer.edm === "Edm.Double" || serializer.edm === "Edm.Int64";
        if (found === serializer.edm || (found === "Edm.Int32" && readsInt32)) continue;
        expect(() => serializer.decode(value, annotation, path)).toThrow(
          expect.objectContaining({ code: "edm.mismatch" }),
        );
      }
    });
  },
);

test("there are at least 150 fixed extremes, and 75 refusals", () => {
  expect(cases.reduce((sum, c) => sum + c.extremes.length, 0)).toBeGreaterThanOrEqual(150);
  expect(cases.reduce((sum, c) => sum + c.refused.length, 0)).toBeGreaterThanOrEqual(75);
});

test("an Int32 that is stored as -0 decodes as 0, which encodes the same", () => {
  const decoded = int32Serializer.decode(JSON.parse("-0") as number, undefined, path);

  expect(Object.is(decoded, 0)).toBe(true);
});

test("a Date read from 7 digits is unchanged, and so is JSON with other spacing", () => {
  const stored = "2013-08-02T17:37:43.9004348Z";

  const date = dateTimeSerializer.decode(stored, "Edm.DateTime", path);
  const snapshotValue = dateTimeSerializer.keep(stored, date);

  expect(dateTimeSerializer.isUnchanged(snapshotValue, date)).toBe(true);
  expect(dateTimeSerializer.restore(snapshotValue, path)).toBe(stored);
  expect(jsonSerializer.isUnchanged('{ "a": [1,  2] }', { a: [1, 2] })).toBe(true);
});

test("a change in place of a Date, of bytes and of JSON is found", () => {
  expect(dateTimeSerializer.isUnchanged("2000-01-01T00:00:00.0000000Z", new Date(1))).toBe(false);
  expect(binarySerializer.isUnchanged("AAE=", new Uint8Array([0, 2]))).toBe(false);
  expect(jsonSerializer.isUnchanged("[1]", [1, 2])).toBe(false);
});

test("a malformed stored text is refused by every type that has a form", () => {
  const malformed: readonly (readonly [Serializer<never>, StoredValue])[] = [
    [int64Serializer as never, "12.5"],
    [int64Serializer as never, ""],
    [doubleSerializer as never, "seven"],
    [doubleSerializer as never, "1e999"],
    [doubleSerializer as never, Number("1e999")],
    [doubleSerializer as never, Number.NaN],
    [dateTimeSerializer as never, "2013-02-30T00:00:00Z"],
    [dateTimeSerializer as never, "2013-08-02 17:37:43Z"],
    [guidSerializer as never, "4185404a"],
    [binarySerializer as never, "A=B"],
  ];
  for (const [serializer, value] of malformed)
    expect(() => serializer.decode(value, serializer.edm, path)).toThrow(
      expect.objectContaining({ code: "edm.malformed" }),
    );
});
