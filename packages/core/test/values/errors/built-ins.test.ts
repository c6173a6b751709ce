import { createContext, runInContext } from "node:vm";
import { describe, expect, test } from "vitest";
import {
  asError,
  isAbortSignal,
  isDate,
  isError,
  isOfBuiltIn,
  isPromise,
  isUint8Array,
  messageOf,
  timeOf,
} from "../../../src/values/errors/built-ins.ts";

// Values of this realm, of another one, and what only claims to be one of them.

const other = createContext({});
const foreign = (code: string): unknown => runInContext(code, other) as unknown;

class Moment extends Date {}
class Failure extends RangeError {}
function Legacy(): void {}
Legacy.prototype = Object.create(Error.prototype) as object;

const values: Readonly<Record<string, unknown>> = {
  "a Date": new Date(5),
  "an invalid Date": new Date(Number.NaN),
  "a Date of a subclass": new Moment(5),
  "a Date of another realm": foreign("new Date(5)"),
  "what inherits from Date": Object.create(Date.prototype),
  "a method getTime": { getTime: () => 5 },
  "the tag Date": { [Symbol.toStringTag]: "Date", getTime: () => 5 },
  "a Uint8Array": new Uint8Array(2),
  "a Buffer": Buffer.alloc(2),
  "a Uint8Array of another realm": foreign("new Uint8Array(2)"),
  "what inherits from Uint8Array": Object.create(Uint8Array.prototype),
  "the tag Uint8Array": { [Symbol.toStringTag]: "Uint8Array" },
  "a Uint16Array": new Uint16Array(2),
  "an Error": new Error("m"),
  "a RangeError": new RangeError("m"),
  "an Error of a subclass": new Failure("m"),
  "an Error of another realm": foreign("new Error('m')"),
  "a RangeError of another realm": foreign("new RangeError('m')"),
  "a DOMException": new DOMException("m"),
  "an error of an old library": Reflect.construct(Error, ["m"], Legacy) as unknown,
  "an object with a message": { message: "m" },
  "an AbortSignal": new AbortController().signal,
  "an object with aborted": { aborted: false },
  "a promise": Promise.resolve(),
  "a promise of another realm": foreign("Promise.resolve()"),
  "a thenable": { then: () => undefined },
  undefined: undefined,
  null: null,
  "a text": "text",
  "a number": 5,
  "a bigint": 5n,
  "an object": {},
  "an object without a prototype": Object.create(null),
  "a list": [5],
};

const accepted: readonly (readonly [test: (value: unknown) => boolean, names: readonly string[]])[] = [
  [isDate, ["a Date", "an invalid Date", "a Date of a subclass", "a Date of another realm"]],
  [(value) => timeOf(value) === 5, ["a Date", "a Date of a subclass", "a Date of another realm"]],
  [isUint8Array, ["a Uint8Array", "a Buffer", "a Uint8Array of another realm"]],
  [
    isError,
    [
      "an Error",
      "a RangeError",
      "an Error of a subclass",
      "an Error of another realm",
      "a RangeError of another realm",
      "a DOMException",
      "an error of an old library",
    ],
  ],
  [
    (value) => isOfBuiltIn(value, "RangeError"),
    ["a RangeError", "an Error of a subclass", "a RangeError of another realm"],
  ],
  [isAbortSignal, ["an AbortSignal"]],
  [isPromise, ["a promise", "a promise of another realm"]],
];

describe.each(Object.entries(values))("%s", (name, value) => {
  test.each(accepted.map(([is, names], i) => [i, is, names] as const))("check %i", (_i, is, names) => {
    expect(is(value)).toBe(names.includes(name));
  });
});

test("anything that was thrown becomes an error with its text", () => {
  const thrown = foreign("new Error('m')");

  expect(asError(thrown)).toBe(thrown);
  expect(asError("text").message).toBe("text");
  expect(messageOf(thrown)).toBe("m");
  expect(messageOf(5)).toBe("5");
});

test("errors are recognised by a runtime that has no Error.isError, too", async () => {
  const errors = Error as { isError?: unknown };
  const { isError: own } = errors;
  delete errors.isError;
  try {
    const module = new URL("../../../src/values/errors/built-ins.ts?before-24", import.meta.url).href;
    const before24 = (await import(/* @vite-ignore */ module)) as { isError: typeof isError };

    expect(before24.isError).not.toBe(isError);
    for (const value of Object.values(values)) expect(before24.isError(value)).toBe(isError(value));
  } finally {
    if (own !== undefined) errors.isError = own;
  }
});
