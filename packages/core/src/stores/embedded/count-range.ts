// `embedded-storage.ts` calls this file to count the rows of a key range without returning them. It yields to the event
// loop between steps, so the source must show one state for the whole count.

import { cancelled } from "../../values/errors/storage-error.ts";
import type { KeyBounds } from "../../values/filter/key-bounds.ts";
import type { SqlCondition } from "../../values/filter/filter-sql.ts";
import { type CountedRows, findEnd, through } from "./count-rows.ts";
import { rangesBetween, type Start, startAfter } from "./key-ranges.ts";

/** Rows that one step counts: a few milliseconds. */
const rowsAtOnce = 20_000;

/**
 * Counts rows by the index of their keys.
 *
 * @param absent - the name of a property that no counted row may have
 * @returns undefined if a row may have that property
 */
export async function countRange(
  source: CountedRows,
  bounds: KeyBounds,
  absent: string | undefined,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  let count = 0;
  for (let start: Start | undefined; ;) {
    const end = findEnd(source, rangesBetween(bounds, start, undefined), rowsAtOnce);
    for (const { sql, values } of rangesBetween(bounds, start, end)) {
      const [rows, others] = countBoth(source, sql, values, absent);
      if (others > 0) return undefined;
      count += rows;
    }
    if (end === undefined) return count;
    start = startAfter(end);
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted === true) throw cancelled(signal);
  }
}

/** Counts the rows, and those that may have a property: their bytes contain its name as JSON. */
function countBoth(
  { statements, tableId }: CountedRows,
  sql: string,
  values: SqlCondition["values"],
  absent: string | undefined,
): readonly [rows: number, others: number] {
  const from = `FROM ${through(tableId)} WHERE ${sql}`;
  if (absent === undefined) {
    const found = statements.get(`SELECT count(*) ${from}`).get(...values);
    return [(found as unknown as [number])[0], 0];
  }
  const name = Buffer.from(`${JSON.stringify(absent)}:`);
  const found = statements.get(`SELECT count(*), total(instr(body, ?) > 0) ${from}`).get(name, ...values);
  return found as unknown as [number, number];
}
