import { describe, expect, test } from "vitest";
import {
  bool,
  convert,
  createTables,
  dateTime,
  defineEntity,
  defineKind,
  double,
  type EntityClass,
  enumOf,
  int32,
  int64,
  openStorage,
  TableContext,
  text,
} from "../../../src/index.ts";
import { bucket, constant, descending, newestFirst, padded } from "../../../src/keys.ts";
import { modelOf } from "../../../src/models.ts";
import { codeOf } from "../../query/places.ts";

// What JavaScript lets pass, and a TypeScript program without type checks: each call is typed loosely on purpose.
const define = defineEntity as unknown as (declaration: unknown) => EntityClass;
const kind = defineKind as unknown as (base: unknown, declaration: unknown) => EntityClass;
const keys = { table: "Things", partitionKey: { tenant: text() }, rowKey: { id: text() } };

const errorOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    const { name, code, message } = error as { name: string; code: string; message: string };
    return `${name} ${code} ${message}`;
  }
  return "no error";
};

describe("a declaration that lacks something is refused where it stands", () => {
  test.each<[string, () => unknown, RegExp]>([
    [
      "rowKey",
      () => define({ table: "Things", partitionKey: { a: text() }, properties: {} }),
      /^ModelError model\.declaration Things is declared without rowKey\. Write rowKey: \{ id: text\(\) \}/,
    ],
    [
      "partitionKey",
      () => define({ table: "Things", rowKey: { a: text() }, properties: {} }),
      /without partitionKey\. Write partitionKey: \{/,
    ],
    ["properties", () => define(keys), /without properties\. Write .*properties: \{\} if there are none/],
    [
      "table",
      () => define({ ...keys, table: undefined, properties: {} }),
      /model\.no-table .*Write table: "Blogs"/,
    ],
    [
      "everything",
      () => define(undefined),
      /takes an object of settings, but got undefined.*partitionKey, rowKey/,
    ],
    [
      "names in rowKey",
      () => define({ ...keys, rowKey: newestFirst, properties: {} }),
      /rowKey that does not name/,
    ],
    [
      "names in properties",
      () => define({ ...keys, properties: ["title"] }),
      /properties that does not name/,
    ],
    [
      "a right name",
      () => define({ ...keys, properties: {}, partitonKey: {} }),
      /Did you mean partitionKey\?/,
    ],
    ["a kind's name", () => kind(define({ ...keys, properties: {} }), {}), /Write kind: "City"/],
    [
      "a base that is an entity",
      () => kind(class Plain {}, { kind: "X" }),
      /model\.not-an-entity X .*@Kind\("X"\)/,
    ],
  ])("%s", (_what, action, message) => {
    expect(errorOf(action)).toMatch(message);
  });

  test("the compiler names a member that is missing", () => {
    // @ts-expect-error Property 'rowKey' is missing
    expect(() => defineEntity({ table: "Things", partitionKey: { a: text() }, properties: {} })).toThrow(
      /rowKey/,
    );
  });
});

test.each<[string, unknown, RegExp]>([
  [
    "a type that is not called",
    text,
    /Things\.x is declared as the function text, which is not a property type.*text\(\)/,
  ],
  ["a constructor", String, /as the function String/],
  ["undefined, as circular imports give it", undefined, /as undefined/],
  ["a word", "string", /as a string/],
  ["a key format", newestFirst, /as the key format newestFirst, .*dateTime\(\)/],
])("a property that is declared as %s is refused with the types there are", (_what, type, message) => {
  expect(errorOf(() => define({ ...keys, properties: { x: type } }))).toMatch(message);
});

test.each<[string, unknown, RegExp]>([
  [
    "dateTime()",
    dateTime(),
    /Things\.at, part of a key, .*newestFirst or oldestFirst .*day, month, week or hour/,
  ],
  ["dateTime({ ticks: true })", dateTime({ ticks: true }), /newestFirst\(\{ ticks: true \}\)/],
  ["int32()", int32(), /padded\(10\), or padded\(10, \{ signed: true \}\)/],
  ["int64()", int64(), /padded64\(19\)/],
  ["double()", double(), /Keys hold text, integers, dates and GUIDs/],
  ["bool()", bool(), /Keys hold text, integers, dates and GUIDs/],
  ["enumOf()", enumOf(["a"]), /Write text\(\)/],
  ["an optional type", text().optional(), /Leave \.optional\(\) out/],
  ["a type with a stored name", text().named("At"), /Leave \.named\(…\) out/],
  ["a format that is not called", padded, /the function padded, which is not a key format/],
  ["a bucket that is not called", bucket, /the function bucket, which is not a key format/],
  ["undefined", undefined, /as undefined, which is not a key format/],
])("a key part that is declared as %s names the formats there are for it", (_what, part, message) => {
  const entity = define({ ...keys, rowKey: { at: part }, properties: {} });

  expect(errorOf(() => modelOf(entity))).toMatch(/^ModelError model\.key-format /);
  expect(errorOf(() => modelOf(entity))).toMatch(message);
});

test("the error of a key part names the class that was handed over", () => {
  class Post extends (define({ ...keys, rowKey: { at: dateTime() }, properties: {} }) as new () => object) {}

  expect(errorOf(() => modelOf(Post))).toMatch(/ Post\.at, part of a key/);
});

test.each<[string, unknown, RegExp]>([
  [
    "a date",
    new Date(0),
    /Things\.id, part of the RowKey, holds an object of Date .*newestFirst or oldestFirst/,
  ],
  ["a number", 5, /holds a number .*takes a string\. Declare the part with padded\(10\), or assign text/],
  ["a bigint", 5n, /padded64\(19\)/],
  ["a boolean", true, /holds a boolean that does not fit its format verbatim, which takes a string\. See /],
])("a text key that is given %s names the format for it, and no value", async (_what, id, message) => {
  await using storage = await openStorage("memory:");
  const Thing = define({ ...keys, properties: {} });
  await createTables(storage, [Thing]);

  const failure = errorOf(() => new TableContext(storage).create(Thing, { tenant: "t", id } as never));

  expect(failure).toMatch(/^KeyError key\.invalid-part /);
  expect(failure).toMatch(message);
});

test.each<[string, () => unknown, RegExp]>([
  ["enumOf()", () => enumOf(undefined as never), /takes a list of texts, such as \["open", "done"\]/],
  ["enumOf([])", () => enumOf([]), /takes a list of texts/],
  ["enumOf of a TypeScript enum", () => enumOf({ Open: "open" } as never), /Object\.values\(State\)/],
  [
    "convert of one function",
    () => convert(String as never),
    /takes \{ toText\(value\), fromText\(text\) \}/,
  ],
])("%s is refused where it stands", (_call, make, message) => {
  expect(errorOf(make)).toMatch(/^ModelError model\.property-type /);
  expect(errorOf(make)).toMatch(message);
});

test("formats and separators that cannot keep order are refused", () => {
  expect(() => descending(constant("ab") as never)).toThrow(/fixed width/);
  const keys = {
    partitionKey: { p: text() },
    rowKey: { a: constant("a_", padded(2)), b: text() },
    properties: {},
  } as const;
  expect(codeOf(() => modelOf(defineEntity({ table: "Things", ...keys })))).toBe("model.key-literal");
  expect(codeOf(() => modelOf(defineEntity({ table: "Things", ...keys, separator: "\uffff" })))).toBe(
    "model.separator",
  );
});

test("names that every object has are refused, as property and as stored name", () => {
  const keys = { table: "Things", partitionKey: { p: text() }, rowKey: { r: text() } } as const;

  expect(codeOf(() => modelOf(define({ ...keys, properties: { toString: text() } })))).toBe(
    "model.reserved-name",
  );
  expect(
    codeOf(() => modelOf(defineEntity({ ...keys, properties: { a: text().named("constructor") } }))),
  ).toBe("model.property-name");
});
