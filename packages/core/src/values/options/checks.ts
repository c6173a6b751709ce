import { isAbortSignal } from "../errors/built-ins.ts";
import type { Check, CheckOptions } from "./define-options.ts";

export const trueOrFalse: Check<boolean> = {
  takes: "true or false",
  accepts: (value) => typeof value === "boolean",
};

export const abortSignal: Check<AbortSignal> = {
  takes: "an AbortSignal",
  accepts: isAbortSignal,
};

/** A function of any kind: its parameters cannot be checked. */
export const aFunction: Check<never> = {
  takes: "a function",
  accepts: (value) => typeof value === "function",
};

/** One of a fixed list of words. */
export const oneOf = <Value extends string>(...choices: readonly Value[]): Check<Value> => ({
  takes: listed(choices.map((choice) => JSON.stringify(choice))),
  accepts: (value) => choices.includes(value as Value),
  known: choices,
});

/** A whole number from `least` to `most`, both included. */
export const wholeNumber = (least: number, most: number = Number.POSITIVE_INFINITY): Check<number> => ({
  takes: `a whole number${most === Number.POSITIVE_INFINITY ? `, ${least} or more` : ` from ${least} to ${most}`}`,
  accepts: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
});

export const numberAboveZero: Check<number> = {
  takes: "a number above 0",
  accepts: (value) => typeof value === "number" && Number.isFinite(value) && value > 0,
};

/** Entities in a list, a set or anything else that can be enumerated. */
export const listOfEntities: Check<Iterable<object>> = {
  takes: "a list of entities: [entity]",
  accepts: (value) => typeof (value as Partial<Iterable<object>> | null)?.[Symbol.iterator] === "function",
};

/** Options of an option. */
export const optionsOf = (inside: CheckOptions): Check<never> => ({
  takes: "an object",
  accepts: () => true,
  inside,
});

/** Any value that a test accepts. */
export const accepted = <Value>(
  takes: string,
  accepts: (value: unknown) => boolean,
  code?: string,
): Check<Value> => ({ takes, accepts, ...(code !== undefined && { code }) });

export const required = <Value>(check: Check<Value>): Check<Value> => ({ ...check, isRequired: true });

/** Words as a list: `"a", "b" or "c"`. */
const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
