// `query-run.ts`, `read-families.ts` and `read-page.ts` call this file for queries in RowKey order over several
// partitions: those of all partitions are merged, or those of one slice of time after another.

import type { ReadableRows } from "../../storage/store-engine.ts";
import type { QueryPlan } from "../plan/query-plan.ts";
import { isListedMerge, type MergePosition, planBehind } from "../plan/row-key-order.ts";
import { type MergeOptions, RowKeyMerge, type RowMerge } from "./row-key-merge.ts";
import type { PlanRunOptions, ReadPage, RunOptions } from "./run-plan.ts";
import { SliceMerge } from "./slice-merge.ts";

/** Reads a plan and merges its partitions. @param take - rows at most, over all pages */
export async function* runMerge(
  storage: ReadableRows,
  plan: QueryPlan,
  take: number | undefined,
  { wanted = take, isEager, prepare, ...options }: PlanRunOptions & MergeOptions,
): AsyncGenerator<ReadPage> {
  const merge = mergeOf(storage, plan, options, { wanted, isEager });
  let left = take ?? Number.POSITIVE_INFINITY;
  while (left > 0) {
    const page = await merge.next(left);
    if (page.rows.length === 0) return;
    const read = prepare === undefined ? page : await prepare(page);
    left -= read.rows.length;
    yield read;
  }
}

/**
 * The merge of a plan. Slices are opened one after another, unless all rows are wanted of partitions that are listed:
 * those are read at the same time.
 *
 * @param after - the position after which rows are wanted
 */
export function mergeOf(
  storage: ReadableRows,
  plan: QueryPlan,
  options: RunOptions,
  limits: MergeOptions,
  after?: MergePosition,
): RowMerge {
  const { slices } = plan;
  const isAll = limits.isEager === true && limits.wanted === undefined && isListedMerge(plan);
  if (slices !== undefined && !isAll) return new SliceMerge(storage, slices, options, limits, after);
  return new RowKeyMerge(storage, after === undefined ? plan : planBehind(plan, after), options, limits);
}
