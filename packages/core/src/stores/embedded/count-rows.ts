import type { Position } from "../sql/page-query.ts";
import type { SqlCondition } from "../../values/filter/filter-sql.ts";
import { countOfTable, keyIndexOf, rowsOf } from "./schema.ts";
import type { Statements } from "./table-statements.ts";

/** The table and statements of a count. */
export interface CountedRows {
  readonly statements: Statements;
  readonly tableId: number;
}

/** The key of row number `count` of the ranges; undefined if they have fewer rows. */
export function findEnd(
  source: CountedRows,
  ranges: readonly SqlCondition[],
  count: number,
  order: string = "pk, rk",
): Position | undefined {
  const { statements, tableId } = source;
  let left = count;
  for (const range of ranges) {
    const end = statements
      .get(`SELECT pk, rk FROM ${through(tableId)} WHERE ${range.sql} ORDER BY ${order} LIMIT 1 OFFSET ?`)
      .get(...range.values, left - 1) as unknown as Position | undefined;
    if (end !== undefined) return end;
    if (range !== ranges.at(-1)) left -= countRows(source, [range]);
  }
  return undefined;
}

/**
 * The number of rows of a table, according to its commits. If a disk changed this number, a chunk takes longer or ends
 * too early, but no row is missed, since the last chunk has no end.
 */
export function countTable({ statements, tableId }: CountedRows): number {
  const [count] = (statements.get(countOfTable).get(tableId) ?? []) as unknown as [unknown?];
  return typeof count === "number" && count > 0 ? count : Number.POSITIVE_INFINITY;
}

export function countRows({ statements, tableId }: CountedRows, ranges: readonly SqlCondition[]): number {
  return ranges
    .map(({ sql, values }) =>
      statements.get(`SELECT count(*) FROM ${through(tableId)} WHERE ${sql}`).get(...values),
    )
    .reduce((sum, row) => sum + (row as unknown as [number])[0], 0);
}

/** Reads rows through the index of their keys, which all statements of a scan share. */
export const through = (tableId: number): string => `${rowsOf(tableId)} INDEXED BY ${keyIndexOf(tableId)}`;
