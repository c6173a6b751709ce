import type { ReadPage } from "./run-plan.ts";

/**
 * Leaves out rows that were read before: an index row is read again if its entity moved forward while pages were
 * read.
 */
export function eachOnce(): (page: ReadPage) => Promise<ReadPage> {
  const known = new Set<string>();
  return async ({ rows, readAt }) => ({
    rows: rows.filter(({ row: { PartitionKey, RowKey } }) => {
      const key = JSON.stringify([PartitionKey, RowKey]);
      const isNew = !known.has(key);
      known.add(key);
      return isNew;
    }),
    readAt,
  });
}
