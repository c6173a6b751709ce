import { isDate } from "../errors/built-ins.ts";
import { dateTimeSchema } from "../edm/date-time-text.ts";
import { epochOffsetMs, maxTicks, Ticks } from "../edm/ticks.ts";
import { checkFormatOptions } from "./check-format.ts";
import type { FormatRange, KeyFormat, KeyPattern, RangeOperator } from "./key-format.ts";
import { everything, exactly, type TextRange } from "./text-range.ts";

/** A time in a key: by default as `Date`, in milliseconds; with `{ ticks: true }` as `Ticks`, exact. */
export interface TimeOrder extends KeyFormat<Date> {
  /** @throws ModelError `model.option` for another option */
  (options: { readonly ticks: true }): KeyFormat<Ticks>;
  (options?: { readonly ticks?: false }): KeyFormat<Date>;
}

/**
 * 19 digits of (max ticks - ticks): the latest time sorts first. 2008-10-01T10:00:00Z is `2521794455999999999`. Takes
 * dates from the years 1 to 9999.
 *
 * ```ts
 * const rowKey = { postedOn: newestFirst };
 * console.log(newestFirst.encode(new Date("2008-10-01T10:00:00Z"))); // → 2521794455999999999
 * ```
 */
export const newestFirst: TimeOrder = timeOrder("newestFirst", true);

/**
 * 19 digits of ticks: the earliest time sorts first. Takes dates from the years 1 to 9999.
 *
 * ```ts
 * const rowKey = { takenAt: oldestFirst };
 * console.log(oldestFirst.encode(new Date("2008-10-01T10:00:00Z"))); // → 0633584520000000000
 * ```
 */
export const oldestFirst: TimeOrder = timeOrder("oldestFirst", false);

function timeOrder(name: string, isInverted: boolean): TimeOrder {
  const dates = dateFormat(name, isInverted);
  const ticks = ticksFormat(name, isInverted);
  const choose = (options: { readonly ticks?: boolean } = {}): KeyFormat<Date> | KeyFormat<Ticks> => {
    checkFormatOptions(`${name}(options)`, options, ["ticks"]);
    return options.ticks === true ? ticks : dates;
  };
  return Object.assign(choose, dates) as TimeOrder;
}

/** Whole milliseconds from 0001-01-01 to the last of 9999. */
const maxMs = 315_537_897_599_999;

function dateFormat(name: string, isInverted: boolean): KeyFormat<Date> {
  // A millisecond's ticks end in 0000; inverted, in 9999.
  const tail = isInverted ? "9999" : "0000";
  const encode = (value: unknown): string | undefined => {
    const ms = isDate(value) ? value.getTime() + epochOffsetMs : Number.NaN;
    if (!(ms >= 0 && ms <= maxMs)) return undefined;
    return String(isInverted ? maxMs - ms : ms).padStart(15, "0") + tail;
  };
  return {
    format: name,
    accepts: "a valid Date of the years 1 to 9999",
    width: 19,
    pattern: patternOf(isInverted),
    encode,
    decode(text) {
      if (!nineteenDigits.test(text) || !text.endsWith(tail)) return undefined;
      const ms = Number(text.slice(0, 15));
      return ms > maxMs ? undefined : new Date((isInverted ? maxMs - ms : ms) - epochOffsetMs);
    },
    accepting: (operand) => spanOf(operand) !== undefined,
    edm: "Edm.DateTime",
    plainSchema: dateTimeSchema,
    range(operator, operand) {
      // Every stored text is a whole millisecond, so equality is a single text and not the millisecond's range.
      const text = operator === "eq" ? encode(operand) : undefined;
      return text === undefined ? ticksRange(operator, operand, isInverted) : exactly(text);
    },
  };
}

function ticksFormat(name: string, isInverted: boolean): KeyFormat<Ticks> {
  return {
    format: `${name}({ ticks: true })`,
    accepts: "Ticks",
    width: 19,
    pattern: patternOf(isInverted),
    encode: (value) =>
      Ticks.is(value) ? print(isInverted ? maxTicks - value.value : value.value) : undefined,
    decode(text) {
      if (!nineteenDigits.test(text)) return undefined;
      const ticks = isInverted ? maxTicks - BigInt(text) : BigInt(text);
      return ticks < 0n || ticks > maxTicks ? undefined : new Ticks(ticks);
    },
    accepting: (operand) => spanOf(operand) !== undefined,
    edm: "Edm.DateTime",
    plainSchema: dateTimeSchema,
    range: (operator, operand) => ticksRange(operator, operand, isInverted),
  };
}

function patternOf(isInverted: boolean): KeyPattern {
  return isInverted ? "prepend-only" : "append-only";
}

const nineteenDigits = /^\d{19}$/;

const print = (ticks: bigint): string => String(ticks).padStart(19, "0");

/**
 * The range of key text for a comparison with a time. A `Date` covers its whole millisecond, [d, d + 1 ms); `Ticks` are
 * exact.
 */
function ticksRange(operator: RangeOperator, operand: unknown, isInverted: boolean): FormatRange {
  if (operator === "startsWith") return undefined;
  const span = spanOf(operand);
  if (span === undefined) return "nothing";
  const [first, last] = span;
  if (operator === "gt" ? last === maxTicks : operator === "lt" && first === 0n) return "nothing";
  const from = operator === "gt" ? last + 1n : operator === "ge" || operator === "eq" ? first : undefined;
  const to = operator === "lt" ? first - 1n : operator === "le" || operator === "eq" ? last : undefined;
  const inverted = (ticks: bigint | undefined): bigint | undefined =>
    ticks === undefined ? undefined : maxTicks - ticks;
  return isInverted ? printRange(inverted(to), inverted(from)) : printRange(from, to);
}

/** The first and last tick of a time; undefined for other values. */
export function spanOf(operand: unknown): readonly [first: bigint, last: bigint] | undefined {
  if (Ticks.is(operand)) return [operand.value, operand.value];
  const ms = isDate(operand) ? operand.getTime() + epochOffsetMs : Number.NaN;
  if (!(ms >= 0 && ms <= maxMs)) return undefined;
  const first = BigInt(ms) * 10_000n;
  return [first, first + 9_999n];
}

function printRange(from: bigint | undefined, to: bigint | undefined): TextRange {
  if (from === undefined && to === undefined) return everything;
  if (from !== undefined && from === to) return exactly(print(from));
  return {
    ...(from === undefined ? {} : { lower: { text: print(from), inclusive: true } }),
    ...(to === undefined ? {} : { upper: { text: print(to), inclusive: true } }),
  };
}
