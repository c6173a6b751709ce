import type { Ticks } from "../edm/ticks.ts";
import { formatError } from "./check-format.ts";
import { type CalendarSlice, type CalendarUnit, sliceFormat } from "./calendar-slice.ts";
import type { DerivedFormat } from "./derived-format.ts";

/** The months of a rule, and their slices. */
export interface SliceRule {
  /**
   * The first month that the rule applies to, such as `2009-06`; without it, the rule has no start.
   *
   * ```ts
   * const partitionKey = { postedOn: slices({ by: month }, { from: "2026-06", by: week }) };
   * ```
   */
  readonly from?: string;
  /**
   * The months of every year that it applies to, 1 to 12; without it, all.
   *
   * ```ts
   * const partitionKey = { postedOn: slices({ by: month }, { months: [6, 7, 8], by: week }) };
   * ```
   */
  readonly months?: readonly number[];
  /**
   * The slices of the rule's months. If there are several, new rows use the first and all are read, for rows that are
   * being moved.
   *
   * ```ts
   * const partitionKey = { postedOn: slices({ by: [week, month] }) };
   * ```
   */
  readonly by: CalendarSlice | readonly CalendarSlice[];
}

/**
 * Slices of time that change by rule: `slices({ by: month }, { months: [6, 7, 8], by: week })` has months off season
 * and weeks in season. If several rules apply to a month, the last one takes precedence, so slices only change at the
 * first of a month. The first rule has no condition. Never change a rule while rows are stored; add one that starts at
 * a later month.
 *
 * While rows are being moved, queries, `find` and `modify` check every slice that a row may be in; `attach`, `upsert`
 * and `removeByKey`, which read nothing, use the first.
 *
 * A key can have only one such part, and it must be the last, since its texts differ in length.
 *
 * ```ts
 * const seasons = slices({ by: month }, { months: [6, 7, 8], by: week });
 * console.log(seasons.encode(new Date("2026-03-09"))); // → 2026_03
 * console.log(seasons.encode(new Date("2026-07-09"))); // → 2026_07_02
 * ```
 *
 * @throws ModelError `model.option` for rules that cannot be combined: both directions, or weeks with days, since their
 *   texts look the same
 */
export function slices(...rules: readonly [SliceRule, ...SliceRule[]]): DerivedFormat<Date | Ticks> {
  const checked = rules.map(checkRule);
  const all = checked.flatMap(({ by }) => by);
  const [first] = all;
  if (first === undefined || checked[0]?.from !== undefined || checked[0]?.months !== undefined)
    throw formatError("slices()", "needs a first rule without from and months, for all other times.");
  if (all.some(({ isNewestFirst }) => isNewestFirst !== first.isNewestFirst))
    throw formatError("slices()", "takes rules of one direction: newestFirst for all of them, or for none.");
  if (all.some(({ unit }) => unit === "week") && all.some(({ unit }) => unit === "day"))
    throw formatError("slices()", "takes weeks or days, not both: their texts look alike.");
  const unitsOf = (year: number, month: number): readonly CalendarUnit[] => {
    const from = String(year).padStart(4, "0") + "-" + String(month).padStart(2, "0");
    const rule = checked.findLast((each) => holds(each, from, month));
    return (rule as CheckedRule).units;
  };
  const isSingle = checked.every(({ units }) => units.length === 1);
  return sliceFormat(describe(checked), first.isNewestFirst, unitsOf, isSingle);
}

interface CheckedRule {
  readonly from: string | undefined;
  readonly months: readonly number[] | undefined;
  readonly by: readonly CalendarSlice[];
  readonly units: readonly CalendarUnit[];
}

function checkRule(rule: SliceRule): CheckedRule {
  const { from, months, by } = (rule ?? {}) as SliceRule;
  const list = Array.isArray(by) ? (by as readonly CalendarSlice[]) : [by as CalendarSlice];
  if (list.length === 0 || list.some((slice) => slice?.unit === undefined))
    throw formatError(
      "slices({ by })",
      "takes month, week, day or hour, or a list of them: slices({ by: month }).",
    );
  if (from !== undefined && !/^\d{4}-(0[1-9]|1[0-2])$/.test(from))
    throw formatError("slices({ from })", 'takes a month such as "2009-06".');
  if (months?.some((month) => !Number.isInteger(month) || month < 1 || month > 12) === true)
    throw formatError("slices({ months })", "takes months of the year, 1 to 12.");
  return { from, months: months && [...months], by: list, units: list.map(({ unit }) => unit) };
}

const holds = ({ from, months }: CheckedRule, at: string, month: number): boolean =>
  (from === undefined || at >= from) && (months === undefined || months.includes(month));

const describe = (rules: readonly CheckedRule[]): string =>
  `slices(${rules.map(({ from, months, by }) => `${from ?? ""}${months ? `[${months.join(" ")}]` : ""} ${by.map(({ format }) => format).join("+")}`.trim()).join(", ")})`;
