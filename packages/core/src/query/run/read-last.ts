// `query-run.ts` and `read-page.ts` call this file for queries in reverse order over a service, which reads forwards only:
// it reads the ranges to their end and holds the last rows.

import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import { keyOfStored } from "../../model/codec/row-layout.ts";
import type { ReadableRows } from "../../storage/store-engine.ts";
import type { QueryPlan } from "../plan/query-plan.ts";
import type { MergePosition } from "../plan/row-key-order.ts";
import { type PlanRunOptions, type ReadPage, runPlan } from "./run-plan.ts";

/** A row and the time of its request. */
interface HeldRow {
  readonly checked: CheckedRow;
  readonly readAt: number;
}

/** Reads the last rows of a reversed plan, the last one first. @param take - rows at most */
export async function* runReversed(
  storage: ReadableRows,
  plan: QueryPlan,
  take: number | undefined,
  { prepare, ...options }: PlanRunOptions,
): AsyncGenerator<ReadPage> {
  if (plan.reversed === "backwards") {
    yield* runPlan(storage, plan, take, { ...options, ...(prepare && { prepare }) });
    return;
  }
  for (const page of await readLast(storage, plan, take ?? Number.POSITIVE_INFINITY, options))
    yield prepare === undefined ? page : await prepare(page);
}

/**
 * The last rows, the last one first, in pages of rows that were requested at the same time.
 *
 * @param before - the key of the row that they end before
 */
export async function readLast(
  storage: ReadableRows,
  plan: QueryPlan,
  count: number,
  options: PlanRunOptions,
  before?: MergePosition,
): Promise<ReadPage[]> {
  const { reversed: _reversed, ...forwards } = { ...plan, requests: plan.requests.toReversed() };
  const held: HeldRow[] = [];
  for await (const { rows, readAt } of runPlan(storage, forwards, undefined, options)) {
    for (const checked of rows) if (isBefore(checked, before)) held.push({ checked, readAt });
    if (held.length > count) held.splice(0, held.length - count);
  }
  return pagesOf(held.toReversed());
}

/** The key of a row that was read. */
export const placeOf = (row: CheckedRow): MergePosition => {
  const { rowKey, partitionKey } = row.scanned ?? keyOfStored(row.row);
  return [rowKey, partitionKey];
};

function isBefore(row: CheckedRow, place: MergePosition | undefined): boolean {
  if (place === undefined) return true;
  const [rowKey, partitionKey] = placeOf(row);
  return partitionKey === place[1] ? rowKey < place[0] : partitionKey < place[1];
}

function pagesOf(held: readonly HeldRow[]): ReadPage[] {
  const pages: { rows: CheckedRow[]; readonly readAt: number }[] = [];
  for (const { checked, readAt } of held) {
    const last = pages.at(-1);
    if (last?.readAt === readAt) last.rows.push(checked);
    else pages.push({ rows: [checked], readAt });
  }
  return pages;
}
