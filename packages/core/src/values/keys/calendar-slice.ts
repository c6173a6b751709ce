import { epochOffsetMs, type Ticks } from "../edm/ticks.ts";
import { formatError } from "./check-format.ts";
import type { DerivedFormat, SliceSteps, SourceCondition, TimeSlice } from "./derived-format.ts";
import type { FormatRange } from "./key-format.ts";
import { spanOf, type TimeOrder } from "./time-order.ts";

/** A calendar unit that divides time, in UTC. Weeks are counted from the first of each month: 5 at most. */
export type CalendarUnit = "month" | "week" | "day" | "hour";

/** A date's slice of time as a key part, shared by many dates. */
export interface CalendarSlice extends DerivedFormat<Date | Ticks> {
  readonly unit: CalendarUnit;
  readonly isNewestFirst: boolean;
}

/** A slice that sorts the earliest date first, or with `newestFirst` the latest. */
export interface CalendarSliceChoice extends CalendarSlice {
  /** @throws ModelError `model.option` for anything but `newestFirst` and `oldestFirst` */
  (order: TimeOrder): CalendarSlice;
}

const widths: Readonly<Record<CalendarUnit, number>> = { month: 7, week: 10, day: 10, hour: 13 };

/** Maximum number of slices that one plan lists; with more, it reads one range of partitions. */
const maxSlices = 64;

/**
 * The month of a date: `2008_10`, or newest first `7991_03`. Declare the date itself too, for example
 * `partitionKey: { channel: text(), postedOn: month(newestFirst) }, rowKey: { postedOn: newestFirst }`.
 *
 * ```ts
 * class Post extends defineEntity({
 *   table: "Posts",
 *   partitionKey: { channel: text(), postedOn: month(newestFirst) },
 *   rowKey: { postedOn: newestFirst },
 *   properties: {},
 * }) {}
 * console.log(month.encode(new Date("2008-10-03"))); // → 2008_10
 * ```
 */
export const month: CalendarSliceChoice = sliceChoice("month");

/**
 * The week of a date, counted from the first of its month: `2008_10_01` to `2008_10_05`, newest first `7991_03_04`.
 *
 * ```ts
 * console.log(week.encode(new Date("2008-10-09"))); // → 2008_10_02
 * ```
 */
export const week: CalendarSliceChoice = sliceChoice("week");

/**
 * The day of a date: `2008_10_03`, or newest first `7991_03_29`.
 *
 * ```ts
 * const partitionKey = { sensor: text(), takenAt: day };
 * console.log(day.encode(new Date("2008-10-03"))); // → 2008_10_03
 * ```
 */
export const day: CalendarSliceChoice = sliceChoice("day");

/**
 * The hour of a date: `2008_10_03_09`, or newest first `7991_03_29_14`.
 *
 * ```ts
 * const partitionKey = { sensor: text(), takenAt: hour };
 * console.log(hour.encode(new Date("2008-10-03T09:30Z"))); // → 2008_10_03_09
 * ```
 */
export const hour: CalendarSliceChoice = sliceChoice("hour");

function sliceChoice(unit: CalendarUnit): CalendarSliceChoice {
  const slice = (isNewestFirst: boolean): CalendarSlice => ({
    unit,
    isNewestFirst,
    ...sliceFormat(isNewestFirst ? `${unit}(newestFirst)` : unit, isNewestFirst, () => [unit]),
    width: widths[unit],
  });
  const [ascending, descending] = [slice(false), slice(true)];
  const choose = (order: TimeOrder): CalendarSlice => {
    const name = (order as TimeOrder | undefined)?.format;
    if (name !== "newestFirst" && name !== "oldestFirst")
      throw formatError(
        `${unit}(order)`,
        `takes newestFirst or oldestFirst. For the earliest first, ${unit} without parentheses is enough.`,
      );
    return name === "newestFirst" ? descending : ascending;
  };
  return Object.assign(choose, ascending) as CalendarSliceChoice;
}

/** The units for the rows of one month: new rows use the first, and rows with the others are still read. */
export type UnitsOfMonth = (year: number, month: number) => readonly CalendarUnit[];

/**
 * A format that divides time by the units that its rule returns for each month.
 *
 * @param isSingle - whether each month has one unit
 */
export function sliceFormat(
  format: string,
  isNewestFirst: boolean,
  unitsOf: UnitsOfMonth,
  isSingle: boolean = true,
): DerivedFormat<Date | Ticks> {
  const textsAt = (ms: number): string[] => {
    const date = new Date(ms);
    const units = unitsOf(date.getUTCFullYear(), date.getUTCMonth() + 1);
    return units.map((unit) => printSlice(unit, date, isNewestFirst));
  };
  const textsOf = (value: unknown): string[] => {
    const ms = millisecondsOf(value);
    return ms === undefined ? [] : textsAt(ms);
  };
  return {
    format,
    accepts: "a valid Date of the years 1 to 9999",
    width: undefined,
    pattern: isNewestFirst ? "prepend-only" : "append-only",
    isDerived: true,
    ...(isSingle && { slices: sliceSteps(isNewestFirst, unitsOf) }),
    encode: (value) => textsOf(value)[0],
    decode: (text) => startOf(text, isNewestFirst, unitsOf),
    accepting: (operand) => spanOf(operand) !== undefined,
    textsOf,
    texts: (conditions) => listSlices(conditions, textsOf, textsAt, unitsOf),
    range: (operator, operand) =>
      operator === "startsWith"
        ? undefined
        : coveringRange(intervalOf([{ op: operator, operand }]), textsAt, isNewestFirst),
  };
}

/**
 * `7991_03_29`: year, month and smaller units, each in a fixed width; newest first, each is written as its complement.
 */
function printSlice(unit: CalendarUnit, date: Date, isNewestFirst: boolean): string {
  const dayOfMonth = date.getUTCDate();
  const parts = [
    pad(isNewestFirst, 9999, date.getUTCFullYear(), 4),
    pad(isNewestFirst, 13, date.getUTCMonth() + 1),
  ];
  if (unit === "week") parts.push(pad(isNewestFirst, 5, Math.ceil(dayOfMonth / 7)));
  if (unit === "day" || unit === "hour") parts.push(pad(isNewestFirst, 32, dayOfMonth));
  if (unit === "hour") parts.push(pad(isNewestFirst, 23, date.getUTCHours()));
  return parts.join("_");
}

const pad = (isNewestFirst: boolean, top: number, value: number, width: number = 2): string =>
  String(isNewestFirst ? top - value : value).padStart(width, "0");

/** The first moment of a slice; undefined for text that is not a slice. */
function startOf(text: string, isNewestFirst: boolean, unitsOf: UnitsOfMonth): Date | undefined {
  if (!/^\d{4}_\d\d(_\d\d){0,2}$/.test(text)) return undefined;
  const numbers = text.split("_").map(Number);
  const value = (i: number, top: number): number =>
    isNewestFirst ? top - (numbers[i] as number) : (numbers[i] as number);
  const [year, monthOfYear] = [value(0, 9999), value(1, 13)];
  if (monthOfYear < 1 || monthOfYear > 12) return undefined;
  return unitsOf(year, monthOfYear)
    .map((unit) => {
      const date = new Date(0);
      const third = numbers.length < 3 ? 1 : unit === "week" ? value(2, 5) * 7 - 6 : value(2, 32);
      date.setUTCFullYear(year, monthOfYear - 1, third);
      if (numbers.length > 3) date.setUTCHours(value(3, 23));
      return printSlice(unit, date, isNewestFirst) === text ? date : undefined;
    })
    .find((date) => date !== undefined);
}

function sliceSteps(isNewestFirst: boolean, unitsOf: UnitsOfMonth): SliceSteps {
  const sliceAt = (ms: number): TimeSlice | undefined => {
    if (ms < minMs || ms > maxMs) return undefined;
    const date = new Date(ms);
    const [unit] = unitsOf(date.getUTCFullYear(), date.getUTCMonth() + 1);
    const from = startOf(printSlice(unit as CalendarUnit, date, isNewestFirst), isNewestFirst, unitsOf);
    return from && { from, to: new Date(Math.min(nextSlice(ms, unitsOf) - 1, maxMs)) };
  };
  return {
    isNewestFirst,
    of(text) {
      const start = startOf(text, isNewestFirst, unitsOf);
      return start && sliceAt(start.getTime());
    },
    next: ({ from, to }) => sliceAt(isNewestFirst ? from.getTime() - 1 : to.getTime() + 1),
    first(conditions) {
      const { from, to } = intervalOf(conditions);
      return sliceAt(isNewestFirst ? to : from);
    },
  };
}

/** Milliseconds since 1970, both ends inclusive; an infinite end is open. */
interface Interval {
  readonly from: number;
  readonly to: number;
}

/**
 * The time range of values that satisfy all conditions, except `in`, which is handled separately. A `Date` covers its
 * whole millisecond.
 */
function intervalOf(conditions: readonly SourceCondition[]): Interval {
  let [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const condition of conditions) {
    const span = condition.op === "in" ? undefined : spanOf(condition.operand);
    if (span === undefined) continue;
    const [first, last] = [floorMs(span[0]), floorMs(span[1])];
    const { op } = condition;
    // The next value after a whole millisecond is in the next millisecond; after a tick, it may be in the same one.
    if (op === "gt") from = Math.max(from, span[1] % 10_000n === 9_999n ? last + 1 : last);
    if (op === "lt") to = Math.min(to, span[0] % 10_000n === 0n ? first - 1 : first);
    if (op === "ge" || op === "eq") from = Math.max(from, first);
    if (op === "le" || op === "eq") to = Math.min(to, last);
  }
  return { from, to };
}

const floorMs = (ticks: bigint): number => Number(ticks / 10_000n) - epochOffsetMs;

function listSlices(
  conditions: readonly SourceCondition[],
  textsOf: (value: unknown) => readonly string[],
  textsAt: (ms: number) => readonly string[],
  unitsOf: UnitsOfMonth,
): readonly string[] | undefined {
  const { from, to } = intervalOf(conditions);
  const lists = conditions.flatMap((condition) => (condition.op === "in" ? [condition.operands] : []));
  const found = new Set<string>();
  if (lists.length > 0) {
    const isInside = (operand: unknown): boolean => {
      const span = spanOf(operand);
      return span !== undefined && floorMs(span[1]) >= from && floorMs(span[0]) <= to;
    };
    const sets = lists.map((operands) => new Set(operands.filter(isInside).flatMap(textsOf)));
    for (const text of sets[0] as Set<string>) if (sets.every((set) => set.has(text))) found.add(text);
  } else {
    if (from < minMs || to > maxMs) return from > to ? [] : undefined;
    for (let ms = from; ms <= to; ms = nextSlice(ms, unitsOf)) {
      for (const text of textsAt(ms)) found.add(text);
      if (found.size > maxSlices) return undefined;
    }
  }
  return [...found].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

const minMs = -epochOffsetMs;
const maxMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The first moment of the next slice, by the finest unit of the month. Every unit restarts with a month. */
function nextSlice(ms: number, unitsOf: UnitsOfMonth): number {
  const date = new Date(ms);
  const units = unitsOf(date.getUTCFullYear(), date.getUTCMonth() + 1);
  if (units.includes("hour")) return date.setUTCMinutes(60, 0, 0);
  date.setUTCHours(0, 0, 0, 0);
  const [thisMonth, dayOfMonth] = [date.getUTCMonth(), date.getUTCDate()];
  if (units.includes("day")) return date.setUTCDate(dayOfMonth + 1);
  if (!units.includes("week")) return date.setUTCMonth(thisMonth + 1, 1);
  date.setUTCDate(Math.ceil(dayOfMonth / 7) * 7 + 1);
  return date.getUTCMonth() === thisMonth ? date.getTime() : date.setUTCDate(1);
}

/** The range from the smallest to the greatest text of times in the interval. */
function coveringRange(
  { from, to }: Interval,
  textsAt: (ms: number) => readonly string[],
  isNewestFirst: boolean,
): FormatRange {
  if (from > maxMs || to < minMs) return "nothing";
  const [low, high] = isNewestFirst ? [to, from] : [from, to];
  const isTime = (ms: number): boolean => ms >= minMs && ms <= maxMs;
  return {
    ...(isTime(low) && { lower: { text: textsAt(low).reduce((a, b) => (b < a ? b : a)), inclusive: true } }),
    ...(isTime(high) && {
      upper: { text: textsAt(high).reduce((a, b) => (b > a ? b : a)), inclusive: true },
    }),
  };
}

const millisecondsOf = (value: unknown): number | undefined => {
  const span = spanOf(value);
  return span && floorMs(span[0]);
};
