import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { isOfContent, keyIndexOf, type Row, rowsOf, storedColumns } from "@partita/core/internal/embedded";

/** A row of a damaged table. Its columns may contain anything. */
export interface FoundRow {
  readonly id: bigint;
  readonly row: Row;
}

/** The index entry of a row. */
export interface IndexEntry {
  readonly id: bigint;
  readonly pk: string;
  readonly rk: string;
}

/** The smallest and the largest row number in SQLite. */
const [leastId, largestId] = [-(2n ** 63n), 2n ** 63n - 1n];

/** The rows of a table that SQLite can read, by their numbers. It continues after damaged pages. */
export function* readableRows(database: DatabaseSync, tableId: number): Generator<FoundRow> {
  const sql = `SELECT id, ${storedColumns} FROM ${rowsOf(tableId)} NOT INDEXED WHERE id >= ? ORDER BY id`;
  let next: bigint | undefined = leastId;
  while (next !== undefined) {
    try {
      for (const columns of reading(database, sql).iterate(next)) {
        const found = foundRow(columns);
        // Damaged pages may lead back to earlier rows.
        if (found.id >= next) next = found.id + 1n;
        yield found;
      }
      return;
    } catch (error) {
      if (!isOfContent(error)) throw error;
      next = firstReadable((from) => reading(database, `${sql} LIMIT 1`).get(from), next);
    }
  }
}

/**
 * The first number from which rows can be read, found by doubling and then halving the distance; undefined for none.
 */
function firstReadable(readFrom: (id: bigint) => unknown, damaged: bigint): bigint | undefined {
  const isReadable = (id: bigint): boolean => tryRead(() => readFrom(id)) !== "unreadable";
  let [bad, step] = [damaged, 1n];
  while (!isReadable(bad + step)) {
    [bad, step] = [bad + step, 2n * step];
    if (bad + step > largestId) return undefined;
  }
  let good = bad + step;
  while (good - bad > 1n) {
    const middle = (good + bad) / 2n;
    if (isReadable(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

/** The row with this number; undefined if there is none. */
export function readableRow(
  database: DatabaseSync,
  tableId: number,
  id: bigint,
): FoundRow | "unreadable" | undefined {
  const sql = `SELECT id, ${storedColumns} FROM ${rowsOf(tableId)} NOT INDEXED WHERE id = ?`;
  const columns = tryRead(() => reading(database, sql).get(id));
  return columns === undefined || columns === "unreadable" ? columns : foundRow(columns);
}

/**
 * The entries of a table's index, from the first on. After a damaged page, it continues backwards from the last entry.
 */
export function* readableEntries(database: DatabaseSync, tableId: number): Generator<IndexEntry> {
  for (const order of ["ASC", "DESC"]) {
    const sql = `SELECT id, pk, rk FROM ${rowsOf(tableId)} INDEXED BY ${keyIndexOf(tableId)} ORDER BY pk ${order}, rk ${order}`;
    try {
      for (const [id, pk, rk] of reading(database, sql).iterate() as unknown as Iterable<
        [bigint, string, string]
      >)
        yield { id, pk, rk };
      return;
    } catch (error) {
      if (!isOfContent(error)) throw error;
    }
  }
}

function tryRead<Result>(read: () => Result): Result | "unreadable" {
  try {
    return read();
  } catch (error) {
    if (isOfContent(error)) return "unreadable";
    throw error;
  }
}

/** A statement that returns arrays, and numbers of any size. */
function reading(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  return statement;
}

/** Numbers that are too large for JavaScript belong to no row that was written. */
function foundRow(columns: unknown): FoundRow {
  const [id, ...row] = columns as [bigint, ...SQLInputValue[]];
  return {
    id,
    row: row.map((value) => (typeof value === "bigint" ? Number(value) : value)) as unknown as Row,
  };
}
