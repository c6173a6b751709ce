import { accepted, type CheckOptions, defineOptions, isDate, numberAboveZero } from "@partita/core/internal";
import { type Domain, spreadOver } from "./domain.ts";
import { checkEnds, checkPatternArgument, type RangeOptions } from "./domain-options.ts";
import { patternOption } from "./domain-options.ts";

const firstYear = Date.UTC(1601, 0, 1);
const lastYear = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const dayMs = 86_400_000;

const timeOf = (value: unknown): number | undefined =>
  isDate(value) && !Number.isNaN(value.getTime()) ? value.getTime() : undefined;

const aDate = accepted<Date>("a valid Date", (value) => timeOf(value) !== undefined);
const checkDates: CheckOptions = defineOptions<RangeOptions<Date>>(
  "anyDate(options)",
  { min: aDate, max: aDate },
  patternOption,
);

/** Dates from `min` to `max`. By default those that a table can store, 1601 to 9999. */
export function anyDate(options: RangeOptions<Date> = {}): Domain<Date> {
  checkDates(options);
  const ends = { min: options.min?.getTime(), max: options.max?.getTime() };
  const anEnd = accepted<number>("a Date", () => true);
  const [min, max] = checkEnds("anyDate", ends, anEnd, [firstYear, lastYear]);
  return {
    takes: `a date from ${new Date(min).toISOString()} to ${new Date(max).toISOString()}`,
    form: { type: "date", min, max },
    accepts: (value) => {
      const time = timeOf(value);
      return time !== undefined && time >= min && time <= max;
    },
    corners: () => datesOf(min === max ? [min] : [min, max]),
    spread: (count) => datesOf(spreadOver(count, min, max)),
  };
}

/**
 * A date at most this many days old. All parameters of a call share the same current time, so two of them are
 * at most that many days apart. Because months and weeks have different lengths, the check moves the current
 * time over the calendar of four years.
 */
export function withinDays(days: number): Domain<Date> {
  checkPatternArgument("withinDays(days)", days, numberAboveZero);
  const ms = days * dayMs;
  return {
    takes: `a date of the last ${days} day${days === 1 ? "" : "s"} before the latest one`,
    form: { type: "recent", ms },
    accepts: (value, { now }) => {
      const time = timeOf(value);
      return time !== undefined && time <= now && time >= now - ms;
    },
    corners: ({ now }) => datesOf([Math.ceil(now - ms), now]),
    spread: (count, { now }) => datesOf(spreadOver(count, Math.ceil(now - ms), now)),
    nowFor: timeOf,
  };
}

const datesOf = (times: readonly number[]): Date[] => times.map((time) => new Date(time));
