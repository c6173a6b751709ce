import { expect, test } from "vitest";
import {
  constant,
  descending,
  type KeyError,
  newestFirst,
  padded,
  padded64,
  verbatim,
} from "../../src/index.ts";
import { composeKey, type KeyTemplate, parseKey } from "../../src/keys/key-template.ts";

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

test("refuses formats that cannot work when the model is written", () => {
  expect(() => padded(0)).toThrow(RangeError);
  expect(() => padded(16)).toThrow(/padded64/);
  expect(() => padded64(21)).toThrow(RangeError);
  expect(() => descending(verbatim)).toThrow(/fixed width/);
  expect(constant("x").literal).toBe("x");
});
