import type { KeyBounds } from "../../values/filter/key-bounds.ts";
import { exactly, intersect, onlyText } from "../../values/keys/text-range.ts";
import type { PlannedRequest, QueryPlan } from "./query-plan.ts";

/** Partitions of one merge at most: as many as there can be buckets. */
export const maxMerged = 4096;

/** The row that a merge returned last: the rows after it in RowKey order are left. */
export type MergePosition = readonly [rowKey: string, partitionKey: string];

/** Whether ranges, in key order, are all in one partition: its rows are in RowKey order already. */
export function isOfOnePartition(ranges: readonly { readonly bounds: KeyBounds }[]): boolean {
  const [first, last] = [ranges[0], ranges.at(-1)].map((each) => each && onlyText(each.bounds.partitionKey));
  return ranges.length === 0 || (first !== undefined && first === last);
}

/** Whether a merge can open all of its partitions at the same time. */
export function isListedMerge(plan: QueryPlan): boolean {
  const partitions = requestsByPartition(plan);
  return partitions !== undefined && partitions.size <= maxMerged;
}

/** The requests of each partition, by its key; undefined where the plan does not list its partitions. */
export function requestsByPartition({
  requests,
}: QueryPlan): ReadonlyMap<string, readonly PlannedRequest[]> | undefined {
  const partitions = new Map<string, PlannedRequest[]>();
  for (const request of requests) {
    const partitionKey = onlyText(request.bounds.partitionKey);
    if (partitionKey === undefined) return undefined;
    const own = partitions.get(partitionKey);
    if (own === undefined) partitions.set(partitionKey, [request]);
    else own.push(request);
  }
  return partitions;
}

/**
 * The plan for the rows after a position in RowKey order; rows with the same RowKey are ordered by their
 * PartitionKeys.
 */
export function planBehind(plan: QueryPlan, [rowKey, partitionKey]: MergePosition): QueryPlan {
  const requests = plan.requests.flatMap((request): PlannedRequest[] => {
    const { bounds } = request;
    const isLater = (onlyText(bounds.partitionKey) as string) > partitionKey;
    const left = intersect(bounds.rowKey, { lower: { text: rowKey, inclusive: isLater } });
    return left === undefined ? [] : [{ ...request, bounds: { ...bounds, rowKey: left } }];
  });
  return { ...plan, requests };
}

/** The plan for the rows after a position in key order. */
export function planAfter(plan: QueryPlan, [rowKey, partitionKey]: MergePosition): QueryPlan {
  const requests = plan.requests.flatMap((request): PlannedRequest[] => {
    const { bounds } = request;
    const own = intersect(bounds.partitionKey, exactly(partitionKey));
    const rest = intersect(bounds.rowKey, { lower: { text: rowKey, inclusive: false } });
    const later = intersect(bounds.partitionKey, { lower: { text: partitionKey, inclusive: false } });
    return [
      ...(own && rest ? [{ ...request, bounds: { partitionKey: own, rowKey: rest } }] : []),
      ...(later ? [{ ...request, bounds: { ...bounds, partitionKey: later } }] : []),
    ];
  });
  return { ...plan, requests };
}

/**
 * Whether a merge of so many rows reads about as many of each partition and no more, since the keys alone decide
 * which rows match: no scan, even if no partition is excluded.
 */
export const isShortMerge = ({ isMerged, requests, slices }: QueryPlan, take: number | undefined): boolean =>
  isMerged === true &&
  take !== undefined &&
  requests.every(
    ({ bounds, filter, needsCheck }) =>
      (slices !== undefined || onlyText(bounds.partitionKey) !== undefined) &&
      filter === undefined &&
      !needsCheck,
  );
