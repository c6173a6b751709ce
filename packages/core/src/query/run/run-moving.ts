// `query-run.ts` and `read-page.ts` call this file for classes with `formerKeys`. Results come in the order of the
// present keys, as if all rows had been moved. Former keys are always read first: a row that is moved meanwhile is
// found under its present key then, and one that is found under both comes from the present one.

import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import type { FormerPlan, QueryPlan } from "../plan/query-plan.ts";
import { type MergePosition, planAfter } from "../plan/row-key-order.ts";
import type { MovingRows } from "./moving-rows.ts";
import { placeOf } from "./read-last.ts";
import { type PlanRunOptions, type ReadPage, runPlan } from "./run-plan.ts";

/**
 * Reads the rows under both keys. @param take - rows at most, over all pages
 *
 * @param after - the key of the row that they begin after
 */
export async function* runMoving(
  storage: MovingRows,
  plan: QueryPlan,
  take: number | undefined,
  { prepare, isEager = false, ...run }: PlanRunOptions,
  after?: MergePosition,
): AsyncGenerator<ReadPage> {
  const options = { ...run, isEager: isEager && take === undefined };
  let left = take ?? Number.POSITIVE_INFINITY;
  let place = after;
  for await (const stretch of stretchesOf(storage, plan.former as FormerPlan, take, options, after)) {
    for await (const page of merged(storage, plan, stretch, options, place, left)) {
      const rows = page.rows.slice(0, left);
      left -= rows.length;
      yield prepare === undefined ? { ...page, rows } : await prepare({ ...page, rows });
      if (left <= 0) return;
    }
    place = stretch.upTo ?? place;
  }
}

/** Rows under former keys, in the order of their present ones, up to a key: no later row belongs before that. */
interface Stretch extends ReadPage {
  /** Undefined for the last stretch. */
  readonly upTo?: MergePosition | undefined;
}

/** Page by page if both keys have one order; otherwise all rows at once. */
async function* stretchesOf(
  { former }: MovingRows,
  planned: FormerPlan,
  take: number | undefined,
  options: PlanRunOptions,
  after: MergePosition | undefined,
): AsyncGenerator<Stretch> {
  const { plan, isInOrder, isShared } = planned;
  const begun = isInOrder && after !== undefined ? planned.keyAt(after) : undefined;
  const rest = begun === undefined ? plan : planAfter(plan, begun);
  const all: CheckedRow[] = [];
  let readAt = options.clock.revision;
  // Each row under a former key is one of the results, unless it comes before them.
  const mayCut = isInOrder && !isShared && (after === undefined || begun !== undefined);
  for await (const page of runPlan(former, rest, mayCut ? take : undefined, options)) {
    const rows = page.rows.filter((row) => isAfter(placeOf(row), after));
    const last = rows.at(-1);
    if (!isInOrder) all.push(...rows);
    else if (last !== undefined) yield { ...page, rows, upTo: placeOf(last) };
    readAt = Math.min(readAt, page.readAt);
  }
  yield { rows: all.toSorted((a, b) => (isAfter(placeOf(a), placeOf(b)) ? 1 : -1)), readAt };
}

/** The rows of a stretch, and those under present keys. */
async function* merged(
  { present }: MovingRows,
  plan: QueryPlan,
  { rows: held, readAt, upTo }: Stretch,
  options: PlanRunOptions,
  after: MergePosition | undefined,
  left: number,
): AsyncGenerator<ReadPage> {
  const rest = after === undefined ? plan : planAfter(plan, after);
  let at = 0;
  // Rows of a shared table that are under former keys are left out, however many there are.
  const most = plan.former?.isShared === true || !Number.isFinite(left) ? undefined : left;
  for await (const page of runPlan(present, rest, most, options)) {
    const rows: CheckedRow[] = [];
    for (const row of page.rows) {
      const place = placeOf(row);
      for (; held[at] !== undefined && isAfter(place, placeOf(held[at] as CheckedRow)); at++)
        rows.push(held[at] as CheckedRow);
      if (upTo !== undefined && isAfter(place, upTo)) break;
      // The same entity under its former key.
      if (held[at] !== undefined && !isAfter(placeOf(held[at] as CheckedRow), place)) at++;
      rows.push(row);
    }
    yield { rows, readAt: Math.min(readAt, page.readAt) };
    const last = page.rows.at(-1);
    if (upTo !== undefined && last !== undefined && isAfter(placeOf(last), upTo)) break;
  }
  yield { rows: held.slice(at), readAt };
}

const isAfter = ([rowKey, partitionKey]: MergePosition, other: MergePosition | undefined): boolean =>
  other === undefined || partitionKey > other[1] || (partitionKey === other[1] && rowKey > other[0]);
