import { fc, test } from "@fast-check/vitest";
import { describe, expect, test as it } from "vitest";
import { hideValue } from "../../../src/work/save/hide-value.ts";

describe("a value is taken out of a message about it", () => {
  it.each<[string, unknown, string]>([
    ['Invalid email: Received "not mail"', "not mail", 'Invalid email: Received "…"'],
    ["must be at most 17 (was 7)", 7, "must be at most 17 (was …)"],
    ["must be above -1.5 (was -20.25)", -20.25, "must be above -1.5 (was …)"],
    ["(was 12345678901234567890)", 12_345_678_901_234_567_890n, "(was …)"],
    ['Expected b but received "a\\"\\n$&"', 'a"\n$&', 'Expected b but received "…"'],
    [
      'must be c (was {"city":"Ulm","zip":89073})',
      { city: "Ulm", zip: 89_073 },
      'must be c (was {"city":"…","zip":…})',
    ],
    [`must be later (was ${new Date(0).toISOString()})`, new Date(0), "must be later (was …)"],
    ["Expected string, received undefined", undefined, "Expected string, received undefined"],
    ["must be true (was false)", false, "must be true (was false)"],
    ["is required", "", "is required"],
  ])("%s", (message, value, hidden) => {
    expect(hideValue(message, value)).toBe(hidden);
  });
});

test.prop([fc.string({ minLength: 1, unit: "grapheme" }), fc.string()])(
  "no text that stands between quotation marks is left",
  (value, before) => {
    const message = `${before}(was "${value}")`;
    const at = before.length + '(was "'.length;
    // The rest of the message must not look like the value: marks and words of it would be hidden, too.
    fc.pre(message.indexOf(value) === at && !message.includes(value, at + 1));

    expect(hideValue(message, value)).toBe(`${before}(was "…")`);
  },
);
