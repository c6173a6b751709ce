import { accepted } from "@partita/core/internal";
import { notAPattern } from "./pattern-errors.ts";
import { type Domain, maxListed, spreadOver, unique } from "./domain.ts";
import { checkEnds, type RangeOptions } from "./domain-options.ts";

const maxInt32 = 2 ** 31 - 1;
const maxInt64 = 2n ** 63n - 1n;

/** Whole numbers from `min` to `max`. By default those of an Int32. */
export function anyInteger(options: RangeOptions<number> = {}): Domain<number> {
  const whole = accepted<number>("a whole number", Number.isSafeInteger);
  const [min, max] = checkEnds("anyInteger", options, whole, [-maxInt32 - 1, maxInt32]);
  const size = max - min + 1;
  return {
    takes: `a whole number from ${min} to ${max}`,
    form: { type: "integer", min, max },
    ...(size <= maxListed && { values: spreadOver(size, min, max) }),
    accepts: (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
    corners: () => unique([min, max, ...(min < 0 && max > 0 ? [0] : [])]),
    spread: (count) => spreadOver(count, min, max),
  };
}

/** Numbers from `min` to `max`, for properties of type Double. */
export function anyNumber(options: RangeOptions<number> = {}): Domain<number> {
  const finite = accepted<number>("a finite number", Number.isFinite);
  const [min, max] = checkEnds("anyNumber", options, finite, [-Number.MAX_VALUE, Number.MAX_VALUE]);
  return {
    takes: `a number from ${min} to ${max}`,
    form: { type: "number", min, max },
    accepts: (value) => typeof value === "number" && value >= min && value <= max,
    corners: () => unique([min, max, ...(min < 0 && max > 0 ? [0] : [])]),
    spread: (count) => unique(Array.from({ length: count }, (_, i) => between(min, max, i / count))),
  };
}

/** Whole numbers as `bigint` from `min` to `max`. By default those of an Int64. */
export function anyInt64(options: RangeOptions<bigint> = {}): Domain<bigint> {
  const big = accepted<bigint>("a bigint", (value) => typeof value === "bigint");
  const [min, max] = checkEnds("anyInt64", options, big, [-maxInt64 - 1n, maxInt64]);
  return {
    takes: `a bigint from ${min} to ${max}`,
    form: { type: "int64", min, max },
    accepts: (value) => typeof value === "bigint" && value >= min && value <= max,
    corners: () => unique([min, max, ...(min < 0n && max > 0n ? [0n] : [])]),
    spread: (count) =>
      unique(Array.from({ length: count }, (_, i) => min + ((max - min) * BigInt(i)) / BigInt(count))),
  };
}

/** True and false. */
export const anyBoolean = (): Domain<boolean> => anyOf([true, false]);

/**
 * One of these values. Lists of up to 1,000 are checked completely.
 *
 * @throws PatternError `pattern.option` for an empty list
 */
export function anyOf<const Value extends string | number | bigint | boolean>(
  values: readonly Value[],
): Domain<Value> {
  if (!Array.isArray(values) || values.length === 0)
    throw notAPattern("anyOf(values) takes a list of at least one value.");
  const all = unique(values as readonly Value[]);
  const known = new Set<unknown>(all);
  return {
    takes: `one of ${all.length} values`,
    form: { type: "values", values: all },
    ...(all.length <= maxListed && { values: all }),
    accepts: (value) => known.has(value),
    corners: () => (all.length <= 8 ? all : [all[0] as Value, all.at(-1) as Value]),
    spread: (count) => all.slice(0, count),
  };
}

/** A number between two others. Both may be as large as possible, and rounding must not exceed them. */
const between = (min: number, max: number, share: number): number =>
  Math.max(min, Math.min(max, min * (1 - share) + max * share));
