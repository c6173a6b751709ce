import { expect, test } from "vitest";
import { defineEntity, int32, type KeyError, ModelError, text, Ticks } from "../../../src/index.ts";
import {
  bucket,
  constant,
  day,
  descending,
  month,
  newestFirst,
  oldestFirst,
  padded,
  padded64,
  slices,
  verbatim,
} from "../../../src/keys.ts";
import { keyOfEntity } from "../../../src/model/codec/entity-key.ts";
import { modelOf } from "../../../src/models.ts";
import { composeKey, type KeyTemplate, parseKey } from "../../../src/values/keys/key-template.ts";

const template: KeyTemplate = {
  key: "RowKey",
  separator: "_",
  parts: [
    { property: "name", format: verbatim },
    { property: "number", format: padded(3) },
  ],
};

const compose = (values: Record<string, unknown>): unknown => {
  try {
    return composeKey(template, values, "Blog");
  } catch (error) {
    return error;
  }
};

test.each([
  [{ number: 1 }, "key.missing-part", /Blog\.name.*missing/],
  [{ name: null, number: 1 }, "key.missing-part", /Blog\.name/],
  [{ name: "x", number: 1000 }, "key.invalid-part", /Blog\.number.*padded\(3\).*0 to 999/],
  [{ name: "x", number: "1" }, "key.invalid-part", /Blog\.number/],
  [{ name: 5, number: 1 }, "key.invalid-part", /Blog\.name/],
  [{ name: "a/b", number: 1 }, "key.forbidden-character", /Blog\.name.*forbidden character \//],
  [{ name: "a\u0001b", number: 1 }, "key.forbidden-character", /U\+0001/],
  [{ name: "a\ud800b", number: 1 }, "key.malformed", /lone surrogate/],
  [{ name: "a_b", number: 1 }, "key.contains-separator", /separator "_"/],
  [{ name: "x".repeat(600), number: 1 }, "key.too-long", /604 characters.*512/],
])("refuses %j with %s, naming the property and not its value", (values, code, message) => {
  const error = compose(values) as KeyError;

  expect(error).toMatchObject({ code });
  expect(error.message).toMatch(message);
});

test("tells which part of a stored key cannot be read", () => {
  expect(() => parseKey(template, "x_12", "Blog")).toThrow(/number is not padded\(3\)/);
  expect(() => parseKey(template, "x", "Blog")).toThrow(/name_number/);
});

test("tells how to read keys of 100 ns", () => {
  const ticks: KeyTemplate = {
    key: "RowKey",
    separator: "_",
    parts: [{ property: "at", format: newestFirst }],
  };

  expect(() => parseKey(ticks, "2521794455999999998", "Blog")).toThrow(/newestFirst\(\{ ticks: true \}\)/);
});

test.each<[call: string, make: () => unknown, says: RegExp]>([
  ["padded(0)", () => padded(0), /^padded\(digits\) takes 1 to 15 digits, such as padded\(10\)/],
  ["padded()", () => padded(undefined as never), /^padded\(digits\) takes/],
  ["padded(16)", () => padded(16), /use padded64/],
  [
    "padded of half an offset",
    () => padded(4, { offset: 0.5 }),
    /^padded\(digits, \{ offset \}\) takes a whole/,
  ],
  [
    "padded of a misspelt option",
    () => padded(4, { ofset: 1 } as never),
    /no option "ofset".*signed, offset/,
  ],
  ["padded64(21)", () => padded64(21), /^padded64\(digits\) takes 1 to 20/],
  ["padded64 of a number", () => padded64(4, { offset: 1 as never }), /takes a bigint, such as 10n/],
  ["bucket(1)", () => bucket(1), /^bucket\(count\) takes a whole number from 2 to 4096/],
  ["bucket(10)", () => bucket(10), /power of two, such as bucket\(16\), unless \{ by: "modulo" \}/],
  ["bucket by something else", () => bucket(8, { by: "sha1" as never }), /takes "md5" or "modulo"/],
  ["bucket of no object", () => bucket(8, "md5" as never), /takes its options as an object.*by/],
  ["newestFirst of a date", () => newestFirst(new Date(0) as never), /as an object\. It takes: ticks/],
  ["oldestFirst of a misspelt option", () => oldestFirst({ tick: true } as never), /no option "tick".*ticks/],
  [
    "descending(verbatim)",
    () => descending(verbatim),
    /^descending\(verbatim\) is not possible.*fixed width/,
  ],
  ["descending of a property type", () => descending(text() as never), /takes a key format of fixed width/],
  ["descending()", () => descending(undefined as never), /takes a key format of fixed width/],
  [
    "month of a word",
    () => month("newestFirst" as never),
    /^month\(order\) takes newestFirst or oldestFirst/,
  ],
  ["day()", () => day(undefined as never), /day without parentheses is enough/],
  ["constant of a number", () => constant(5 as never), /^constant\(text\) takes a text/],
  ["constant of a number", () => constant("A", int32() as never), /constant\("CLUB:", text\(\)\)/],
  ["constant of a slice", () => constant("A", month), /put constant\(text\) before it as a separate part/],
  ["slices()", () => (slices as unknown as () => unknown)(), /^slices\(\) needs a first rule/],
  ["slices(month)", () => slices(month as never), /slices\(\{ by: month \}\)/],
  ["slices from a year", () => slices({ by: month, from: "2009" }), /takes a month such as "2009-06"/],
])("%s is an error of the model that says what it takes", (_call, make, says) => {
  expect(make).toThrow(ModelError);
  expect(make).toThrow(expect.objectContaining({ code: "model.option" }) as Error);
  expect(make).toThrow(says);
});

test("an exact time that is none is an error of serialization", () => {
  for (const make of [
    () => new Ticks(5 as never),
    () => new Ticks(-1n),
    () => Ticks.fromDate(new Date(Number.NaN)),
  ])
    expect(make).toThrow(
      expect.objectContaining({ name: "SerializationError", code: "edm.out-of-range" }) as Error,
    );
  expect(() => Ticks.parse("today")).toThrow(
    expect.objectContaining({
      code: "edm.malformed",
      message: expect.not.stringContaining("today") as string,
    }) as Error,
  );
});

test("a literal part is its own text", () => {
  expect(constant("x").literal).toBe("x");
});

test("text() is a key format wherever one is taken, and a type of other values is not", () => {
  const Club = defineEntity({
    table: "Clubs",
    partitionKey: { country: constant("C:", text()) },
    rowKey: { name: text() },
    properties: { town: text() },
    indexes: { byTown: { rowKey: { town: constant("TOWN:", text()), name: text() } } },
  });

  expect(keyOfEntity(modelOf(Club), new Club({ country: "NO", name: "Swift", town: "Oslo" }))).toEqual({
    partitionKey: "C:NO",
    rowKey: "Swift",
  });
  // @ts-expect-error -- a number has no key format of its own
  expect(() => constant("N:", int32())).toThrow(/takes a key format, such as padded\(5\), or text\(\)/);
});
