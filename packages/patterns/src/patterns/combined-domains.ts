import { type CheckOptions, defineOptions, required, wholeNumber } from "@partita/core/internal";
import type { Domain, DomainSetting } from "./domain.ts";
import { aDomain, checkEnds, checkPatternArgument, patternOption } from "./domain-options.ts";

/** Lengths of a list, inclusive. */
export interface ListOptions {
  readonly min?: number | undefined;
  /** The longest list. For longer lists, `in` is not checked, and `query()` refuses it. */
  readonly max: number;
}

const checkList: CheckOptions = defineOptions<ListOptions>(
  "listOf(domain, options)",
  { min: wholeNumber(0), max: required(wholeNumber(1, 10_000)) },
  patternOption,
);

/** A list of values of a domain, for `in`. Its corners are the shortest and the longest list. */
export function listOf<Value>(domain: Domain<Value>, options: ListOptions): Domain<readonly Value[]> {
  checkPatternArgument("listOf(domain, options)", domain, aDomain);
  checkList(options);
  const [min, max] = checkEnds("listOf", options, wholeNumber(0), [0, 0]);
  const isOf = (value: unknown, setting: Pick<DomainSetting, "now">): boolean =>
    Array.isArray(value) &&
    value.length >= min &&
    value.length <= max &&
    value.every((each) => domain.accepts(each, setting));
  const corners = (setting: DomainSetting): (readonly Value[])[] => {
    const hard = domain.corners(setting);
    const apart = domain.spread(max, setting);
    const lists = [filled(hard, Math.max(min, 1)), filled(apart, max), filled([...hard, ...apart], max)];
    return min === 0 ? [[], ...lists] : lists;
  };
  return {
    takes: `a list of ${min} to ${max}, each ${domain.takes}`,
    form: { type: "list", of: domain, min, max },
    accepts: isOf,
    corners,
    spread: (count, setting) => corners(setting).slice(0, count),
    nowFor: (value) => {
      const moments = (Array.isArray(value) ? value : []).map((each) => domain.nowFor?.(each));
      return latest(moments);
    },
  };
}

/** A parameter that may be left out. */
export function optional<Value>(domain: Domain<Value>): Domain<Value | undefined> {
  checkPatternArgument("optional(domain)", domain, aDomain);
  const { values } = domain;
  return {
    takes: `left out, or ${domain.takes}`,
    form: { type: "optional", of: domain },
    ...(values !== undefined && { values: [undefined, ...values] }),
    accepts: (value, setting) => value === undefined || domain.accepts(value, setting),
    corners: (setting) => [undefined, ...domain.corners(setting)],
    spread: (count, setting) => domain.spread(count, setting),
    nowFor: (value) => (value === undefined ? undefined : domain.nowFor?.(value)),
  };
}

/** The latest of several times. Undefined if there is none. */
export const latest = (moments: readonly (number | undefined)[]): number | undefined =>
  moments.reduce<number | undefined>(
    (most, each) => (each === undefined || (most !== undefined && most >= each) ? most : each),
    undefined,
  );

/** Repeats the values up to a count. */
const filled = <Value>(values: readonly Value[], count: number): Value[] =>
  Array.from({ length: count }, (_, i) => values[i % values.length] as Value);
