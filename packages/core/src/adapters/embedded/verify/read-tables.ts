import type { DatabaseSync } from "node:sqlite";
import { checksumOfTable } from "../row-checksum.ts";
import { rowsOf, tableNames } from "../schema.ts";
import { isOfContent } from "../sqlite-errors.ts";
import { type Row, storedColumns } from "../stored-row.ts";
import { isSound } from "./check-rows.ts";
import type { Findings } from "./findings.ts";

/** A table of a file, and what is known of its rows. */
export interface CheckedTable {
  readonly id: number;
  readonly name: string;
  /** What the checksums of its rows begin with. */
  readonly checksum: number;
  /** How many rows every commit counted, and the sum of their checksums; undefined when nothing is known. */
  readonly rows: number | undefined;
  readonly sum: number | undefined;
}

interface ListedTable {
  readonly id: number;
  readonly name: unknown;
  readonly crc: unknown;
  readonly rows: number | null;
  readonly sum: number | null;
}

/** Reads the tables of a file, each with its totals, and checks their names. */
export function readTables(database: DatabaseSync, findings: Findings): CheckedTable[] {
  const listed = database
    .prepare(
      `SELECT t.id, t.name, t.crc, s.rows, s.sum FROM ${tableNames} t NOT INDEXED LEFT JOIN state s ON s.id = t.id ORDER BY t.id`,
    )
    .all() as unknown as ListedTable[];
  return listed.map(({ id, name: found, crc, rows, sum }) => {
    const name = String(found);
    let checksum = checksumOfTable(id, name);
    if (crc !== checksum) {
      findings.add({ check: "tables", table: name, message: "The table had another name." });
      // Which of the two was damaged shows in a row.
      if (typeof crc === "number" && hasRowUnder(database, id, crc)) checksum = crc;
    }
    return { id, name, checksum, rows: rows ?? undefined, sum: sum ?? undefined };
  });
}

/** Whether one of the first rows was written to the table of this checksum. */
function hasRowUnder(database: DatabaseSync, id: number, ofTable: number): boolean {
  try {
    const statement = database.prepare(`SELECT ${storedColumns} FROM ${rowsOf(id)} NOT INDEXED LIMIT 10`);
    statement.setReturnArrays(true);
    return (statement.all() as unknown as Row[]).some((row) => isSound(row, ofTable));
  } catch (error) {
    if (isOfContent(error)) return false;
    throw error;
  }
}
