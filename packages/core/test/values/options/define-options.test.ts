import { expect, test } from "vitest";
import { withoutLinks } from "../../../src/values/errors/error-page.ts";
import { OptionError } from "../../../src/values/errors/option-error.ts";
import {
  abortSignal,
  oneOf,
  optionsOf,
  required,
  trueOrFalse,
  wholeNumber,
} from "../../../src/values/options/checks.ts";
import { checkArgument, defineOptions } from "../../../src/values/options/define-options.ts";

interface Speed {
  readonly unit?: "second" | "minute" | undefined;
}

interface Journey {
  readonly stops: number;
  readonly isDirect?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly speed?: Speed | undefined;
}

const checkSpeed = defineOptions<Speed>("speed", { unit: oneOf("second", "minute") });
const checkJourney = defineOptions<Journey>("travel(to, options)", {
  stops: required(wholeNumber(1)),
  isDirect: trueOrFalse,
  signal: abortSignal,
  speed: optionsOf(checkSpeed),
});

function refusal(attempt: () => void): OptionError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof OptionError) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}

/** The message of a refusal, without its link. */
const said = (attempt: () => void): string => withoutLinks(refusal(attempt).message);

test("options that are absent or undefined are accepted, and a required one is not absent", () => {
  checkJourney({ stops: 1, isDirect: undefined, signal: undefined, speed: undefined });
  checkJourney({ stops: 2, signal: AbortSignal.abort(), speed: { unit: "second" } });

  for (const given of [undefined, {}, { stops: undefined }])
    expect(refusal(() => checkJourney(given))).toMatchObject({ code: "context.option" });
});

test("a misspelt option is refused with the call, the nearest name and all there are", () => {
  const error = refusal(() => checkJourney({ stops: 1, isDirekt: true }));

  expect(error).toMatchObject({
    name: "OptionError",
    code: "context.option",
    message: expect.stringContaining(
      'travel(to, options) does not know "isDirekt". Did you mean isDirect? It takes: stops, isDirect, signal, speed.',
    ) as string,
    details: { call: "travel(to, options)", option: "isDirekt" },
  });
});

test.each<[string, unknown, RegExp]>([
  ["a boolean", true, /^travel\(to, options\) takes its options as an object, but got a boolean\./],
  ["null", null, /but got null/],
  ["a list", [1], /but got an array/],
  ["a text", "stops", /but got a string/],
])("%s in place of options is refused", (_what, given, message) => {
  expect(refusal(() => checkJourney(given)).message).toMatch(message);
});

test("a wrong value names the option in its call and what it takes", () => {
  expect(said(() => checkJourney({ stops: 1.5 }))).toBe(
    "travel(to, { stops }) takes a whole number, 1 or more.",
  );
  expect(said(() => checkJourney({ stops: 1, signal: new AbortController() }))).toBe(
    "travel(to, { signal }) takes an AbortSignal.",
  );
});

test("options of an option are checked under their place", () => {
  expect(said(() => checkJourney({ stops: 1, speed: { unit: "minutes" } }))).toBe(
    'travel(to, { speed: { unit } }) takes "second" or "minute". It does not know "minutes". Did you mean minute?',
  );
  expect(refusal(() => checkJourney({ stops: 1, speed: "minute" })).message).toMatch(
    /^travel\(to, \{ speed: options \}\) takes its options as an object/,
  );
});

test("a value is repeated only where it is close to a known one: it may be a secret", () => {
  const given = "c2VjcmV0IGtleSBvZiBhbiBhY2NvdW50";
  const error = refusal(() => checkJourney({ stops: 1, speed: { unit: given } }));

  expect(JSON.stringify([error.message, error.details])).not.toContain(given);
  expect(withoutLinks(error.message)).toMatch(/takes "second" or "minute"\.$/);
});

test("an argument is checked as an option is", () => {
  checkArgument("merge(option)", "mine", oneOf("mine", "theirs"));
  expect(said(() => checkArgument("merge(option)", "thiers", oneOf("mine", "theirs")))).toBe(
    'merge(option) takes "mine" or "theirs". It does not know "thiers". Did you mean theirs?',
  );
});
