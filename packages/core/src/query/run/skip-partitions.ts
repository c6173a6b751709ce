import { keyOfStored } from "../../model/codec/row-layout.ts";
import { intersect } from "../../values/keys/text-range.ts";
import type { ReadableRows } from "../../storage/store-engine.ts";
import type { QueryPlan } from "../plan/query-plan.ts";
import { firstRow } from "./first-row.ts";
import type { RunOptions } from "./run-plan.ts";

/** The PartitionKeys with a row that a plan finds: one short request for each, which starts after the previous one. */
export async function* skipPartitions(
  storage: ReadableRows,
  plan: QueryPlan,
  options: RunOptions,
): AsyncGenerator<string> {
  let last: string | undefined;
  for (const request of plan.requests) {
    for (;;) {
      const { bounds } = request;
      const after = last === undefined ? {} : { lower: { text: last, inclusive: false } };
      const partitionKey = intersect(bounds.partitionKey, after);
      if (partitionKey === undefined) break;
      const rest = { ...plan, requests: [{ ...request, bounds: { ...bounds, partitionKey } }] };
      const row = await firstRow(storage, rest, 0, options);
      if (row === undefined) break;
      last = (row.scanned ?? keyOfStored(row.row)).partitionKey;
      yield last;
    }
  }
}
