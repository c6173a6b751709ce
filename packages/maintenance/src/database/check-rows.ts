import type { DatabaseSync } from "node:sqlite";
import { keyIndexOf, type Row, rowsOf, storedColumns, sumMask } from "@partita/core/internal/embedded";
import { isSound, keyOf } from "./sound-row.ts";
import type { DatabaseCheck, Findings } from "./findings.ts";
import type { CheckedTable } from "./read-tables.ts";

/**
 * Checks each row of a table and its index entry, then the totals of all rows. Yields after every row, and returns the
 * number of rows.
 */
export function* checkRows(
  database: DatabaseSync,
  table: CheckedTable,
  findings: Findings,
): Generator<void, number> {
  const { id, name, checksum: ofTable } = table;
  let [rows, sum, maxVersion] = [0, 0, 0];
  for (const found of rowsIn(database, id)) {
    rows++;
    checkOne(found, ofTable, (check, message) =>
      findings.add({ check, table: name, key: keyOf(found), message }),
    );
    const [, , ts, , checksum] = found;
    // A damaged number may be anything.
    if (typeof checksum === "number") sum = (sum + checksum) % (sumMask + 1);
    if (typeof ts === "number") maxVersion = Math.max(maxVersion, ts);
    yield;
  }
  const index = keyIndexOf(id);
  const entries = countThrough(database, id, index);
  if (entries !== rows)
    findings.add({
      check: "index",
      table: name,
      message: `${index} has ${entries} entries for ${rows} rows.`,
    });
  if (rows !== table.rows || sum !== table.sum)
    findings.add({ check: "totals", table: name, message: totalsMessage(rows, table.rows) });
  // The next version must differ from every row's.
  if (table.version === undefined || table.version < maxVersion)
    findings.add({
      check: "tables",
      table: name,
      message: "The last assigned version is lower than the version of a row.",
    });
  return rows;
}

function totalsMessage(rows: number, expected: number | undefined): string {
  if (expected === undefined) return "The expected totals of the rows are unknown.";
  return rows === expected
    ? "The rows are not those that were written: the sum of their checksums differs."
    : `There are ${rows} rows, but ${expected} were written.`;
}

/** A row, with its number and the number that its keys lead to. */
type FoundRow = readonly [...row: Row, id: number, byKey: number | null];

/** In the order of the table itself, so no row can be missed; one by one, since rows may be large. */
function rowsIn(database: DatabaseSync, tableId: number): Iterable<FoundRow> {
  const rows = rowsOf(tableId);
  const statement = database.prepare(
    `SELECT ${storedColumns}, id,
       (SELECT k.id FROM ${rows} k INDEXED BY ${keyIndexOf(tableId)} WHERE k.pk = r.pk AND k.rk = r.rk)
     FROM ${rows} r NOT INDEXED ORDER BY id`,
  );
  statement.setReturnArrays(true);
  return statement.iterate() as unknown as Iterable<FoundRow>;
}

function countThrough(database: DatabaseSync, tableId: number, index: string): number {
  // Without a condition, SQLite would count a smaller index instead.
  const sql = `SELECT count(*) AS n FROM ${rowsOf(tableId)} INDEXED BY ${index} WHERE pk >= ''`;
  return Number(database.prepare(sql).get()?.["n"]);
}

function checkOne(
  found: FoundRow,
  ofTable: number,
  report: (check: DatabaseCheck, message: string) => void,
): void {
  const [, , , , , , id, byKey] = found;
  if (!isSound(found, ofTable))
    report("row", "The row differs from what was written: its checksum is wrong.");
  if (byKey !== id) report("key", byKey === null ? notFound : anotherFound);
}

const notFound = "The row is not found by its keys.";
const anotherFound = "The row's keys lead to another row: it is stored twice, or hidden.";
