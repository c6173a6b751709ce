import { filterOfBounds, keyBoundsOf, ratingOf, typeOf } from "@partita/core/internal";
import { parseFilter, printFilter } from "@partita/core/protocol";
import { UsageError } from "../session/usage-error.ts";

/** How storage finds the rows of a filter on stored names. */
export interface RowPlan {
  readonly table: string;
  /** Whether it reads every row of the table. */
  readonly isScan: boolean;
  /** In one line, as for queries of classes. */
  readonly text: string;
}

/** Plans one request with this filter. Nothing is sent. @throws QueryError `query.filter-syntax` */
export function planRows(table: string, filter: string | undefined): RowPlan {
  const bounds = keyBoundsOf(filter === undefined ? undefined : parseFilter(filter));
  if (bounds === undefined) return { table, isScan: false, text: "no request · nothing can match" };
  const type = typeOf(bounds);
  const keys = filterOfBounds(bounds);
  const text = `${type} (${ratingOf(type)}) · table ${table} · ${keys === undefined ? "all keys" : printFilter(keys)}`;
  return { table, isScan: type === "table scan", text };
}

/** @throws UsageError if the plan reads the complete table without permission */
export function checkScan({ table, isScan }: RowPlan, { scan = false }: { readonly scan?: boolean }): void {
  if (isScan && !scan)
    throw new UsageError(
      `query.scan-refused: This would read the complete table ${table}. Compare PartitionKey in --filter, with "and" before the other conditions, or add --scan to read it on purpose.`,
    );
}
