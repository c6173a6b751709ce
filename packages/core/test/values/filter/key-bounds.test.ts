import { expect, test } from "vitest";
import { keyBoundsOf } from "../../../src/values/filter/key-bounds.ts";
import { parseFilter } from "../../../src/values/filter/parse-filter.ts";

test.each(["false", "PartitionKey eq 'p' and false", "(RowKey eq 'r' and FALSE) and A eq 1"])(
  "%s leaves no key to seek",
  (text) => {
    expect(keyBoundsOf(parseFilter(text))).toBeUndefined();
  },
);

test.each(["true", "A eq 1 or false", "not false"])("%s bounds no key", (text) => {
  expect(keyBoundsOf(parseFilter(text))).toEqual(keyBoundsOf(undefined));
});

test("true beside a key leaves the key's bounds", () => {
  const alone = keyBoundsOf(parseFilter("PartitionKey eq 'p'"));

  expect(keyBoundsOf(parseFilter("true and PartitionKey eq 'p'"))).toEqual(alone);
});
