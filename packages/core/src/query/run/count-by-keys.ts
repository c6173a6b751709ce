import type { KindChooser } from "../../model/codec/choose-kind.ts";
import { rowProperty } from "../../model/declaration/entity-model.ts";
import { filterOfBounds } from "../../values/filter/key-bounds.ts";
import type { RowStorage } from "../../storage/store-engine.ts";
import type { RequestOptions } from "../../storage/table-storage.ts";
import type { PlannedRequest, QueryPlan } from "../plan/query-plan.ts";

/** Counts the entities of a plan that keys decide, without reading them; undefined if their rows have to be read. */
export async function countByKeys(
  storage: RowStorage,
  plan: QueryPlan,
  options: RequestOptions,
): Promise<number | undefined> {
  let count = 0;
  for (const request of plan.requests) {
    const absent = hasEntitiesOnly(request) ? undefined : rowProperty;
    const found = await storage.countRows(plan.table, filterOfBounds(request.bounds), absent, options);
    if (found === undefined) return undefined;
    count += found;
  }
  return count;
}

/** Whether keys alone decide which rows are the entities of a plan. */
export function isDecidedByKeys({ models, kinds }: KindChooser, { requests, path }: QueryPlan): boolean {
  // The rows of a base have to be compared with its kinds.
  const isOfKinds = kinds.length === 0 || models.every(({ kind }) => kind !== undefined);
  const isRange = ({ type, filter, needsCheck }: PlannedRequest): boolean =>
    type !== "point" && filter === undefined && !needsCheck;
  return path === undefined && isOfKinds && requests.every(isRange);
}

/** Markers and messages begin with `~`, and index rows with a constant: a range with both ends leaves them out. */
const hasEntitiesOnly = ({ bounds: { rowKey } }: PlannedRequest): boolean =>
  rowKey.lower !== undefined && rowKey.upper !== undefined && rowKey.upper.text <= "~";
