import { isDate } from "../errors/built-ins.ts";
import { Ticks } from "../edm/ticks.ts";
import { formatError } from "./check-format.ts";
import type { AnyDerivedFormat, DerivedFormat } from "./derived-format.ts";
import { orderedTexts } from "./source-texts.ts";
import { exactly } from "./text-range.ts";

const patterns = ["yyyy", "yyyy-MM", "yyyy-MM-dd", "yyyy-MM-dd-HH", "yyyy-MM-dd-HH-mm"] as const;

/** The patterns of `isoDate`, from the year to the minute. */
export type IsoDatePattern = (typeof patterns)[number];

/** The patterns that days without a time have, too. */
export type IsoDayPattern = "yyyy" | "yyyy-MM" | "yyyy-MM-dd";

/**
 * The year, month, day, hour or minute of a date in UTC, earliest first: `isoDate("yyyy-MM-dd-HH")` writes `2026-11-25-10`.
 * Up to the day, it also takes days as text, as a `plainDate()` property has them. As it holds less than the date, declare
 * the date itself too:
 *
 * ```ts
 * const keys = {
 *   partitionKey: { takenAt: isoDate("yyyy-MM") },
 *   rowKey: { takenAt: oldestFirst },
 * };
 * ```
 *
 * @throws ModelError `model.option` for another pattern
 */
export function isoDate(pattern: IsoDayPattern): DerivedFormat<Date | Ticks | string>;
/** The hour or the minute of a date. */
export function isoDate(pattern: IsoDatePattern): DerivedFormat<Date | Ticks>;
export function isoDate(pattern: IsoDatePattern): AnyDerivedFormat {
  if (!patterns.includes(pattern))
    throw formatError("isoDate(pattern)", `takes one of ${patterns.map((p) => `"${p}"`).join(", ")}.`);
  const { length } = pattern;
  const takesDays = length <= "yyyy-MM-dd".length;
  const encode = (value: unknown): string | undefined => {
    const text = isoOf(value, takesDays);
    return text?.slice(0, length).replace("T", "-").replace(":", "-");
  };
  return {
    format: `isoDate("${pattern}")`,
    accepts: `a valid Date of the years 1 to 9999${takesDays ? ", or a day as text, such as 2026-11-25" : ""}`,
    width: length,
    pattern: "append-only",
    isDerived: true,
    encode,
    decode(text) {
      const date = startOf(text);
      return encode(date) === text ? date : undefined;
    },
    accepting: (operand) => encode(operand) !== undefined,
    textsOf: (value) => [encode(value)].filter((text) => text !== undefined),
    texts: (conditions) => orderedTexts(conditions, encode, (text) => encode(nextStart(text))),
    range(operator, operand) {
      const text = operator === "startsWith" ? undefined : encode(operand);
      if (text === undefined) return undefined;
      if (operator === "eq") return exactly(text);
      const bound = { text, inclusive: true };
      return operator === "gt" || operator === "ge" ? { lower: bound } : { upper: bound };
    },
  };
}

/** A date as `toISOString` prints it; a day unchanged. Undefined for any other value. */
function isoOf(value: unknown, takesDays: boolean): string | undefined {
  if (typeof value === "string") {
    const isDay = takesDays && /^(?!0000)\d{4}-\d\d-\d\d$/.test(value);
    return isDay && isoOf(new Date(value), false)?.startsWith(value) === true ? value : undefined;
  }
  const date = Ticks.is(value) ? value.toDate() : value;
  const text = isDate(date) && !Number.isNaN(date.getTime()) ? date.toISOString() : "";
  return /^(?!0000)\d{4}-/.test(text) ? text : undefined;
}

/** The first moment of a slice. */
const startOf = (text: string): Date => {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = text.split("-").map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute);
  return date;
};

/** The first moment after a slice: its last number is one greater. */
const nextStart = (text: string): Date => {
  const numbers = text.split("-").map(Number);
  return startOf([...numbers.slice(0, -1), (numbers.at(-1) as number) + 1].join("-"));
};
