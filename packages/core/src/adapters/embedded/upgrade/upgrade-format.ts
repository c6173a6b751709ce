import type { DatabaseSync } from "node:sqlite";
import {
  checksumOfName,
  createScanIndex,
  createState,
  formatVersion,
  rowsOf,
  sumMask,
  tableNames,
} from "../schema.ts";

/**
 * Which tables have rows of format 4 that are still to be brought to the present one, and the last row that was. The table
 * is there for as long as there are any.
 */
export const progressTable = "upgrade";

/**
 * Brings what a file of an older format declares to the present one, in the caller's transaction. Its rows can be read as
 * they are; `upgradeRows` brings them along step by step.
 */
export function upgradeFormat(database: DatabaseSync, format: number): void {
  if (format < 4) {
    const tables = database.prepare("SELECT id, name FROM tables").all() as unknown as TableOfFile[];
    if (format < 3) addSignatures(database, tables);
    addTotals(database, tables);
    const versions = format < 3 ? "clock" : "versions";
    database.exec(`INSERT INTO state (id, ts) SELECT 0, ts FROM ${versions}; DROP TABLE ${versions};`);
  }
  // Whoever opened the file before knows nothing of all this. It finds its tables no more, and so reads and changes no row.
  if (format < 5)
    database.exec(`
      ALTER TABLE tables RENAME TO ${tableNames};
      CREATE TABLE ${progressTable} (id INTEGER PRIMARY KEY, passed INTEGER);
      INSERT INTO ${progressTable} (id) SELECT id FROM ${tableNames};
    `);
  // A program of format 5 that has the file open takes rows with packed bytes for damaged ones, and leaves them as they are.
  database.exec(`PRAGMA user_version = ${formatVersion}`);
}

interface TableOfFile {
  readonly id: number;
  readonly name: string;
}

/** Rows of format 2 pass every test by signature until they are written again. */
function addSignatures(database: DatabaseSync, tables: readonly TableOfFile[]): void {
  for (const { id } of tables) {
    for (const column of ["s0", "s1"]) addNumber(database, rowsOf(id), column);
    createScanIndex(database, id);
  }
}

/** Rows before format 4 have the time of their version. What they add up to is what there is. */
function addTotals(database: DatabaseSync, tables: readonly TableOfFile[]): void {
  addNumber(database, "tables", "crc");
  const setChecksum = database.prepare("UPDATE tables SET crc = ? WHERE id = ?");
  database.exec(createState);
  for (const { id, name } of tables) {
    setChecksum.run(checksumOfName(name), id);
    addNumber(database, rowsOf(id), "ahead");
    database.exec(
      `INSERT INTO state (id, rows, sum) SELECT ${id}, count(*), coalesce(sum(crc), 0) & ${sumMask} FROM ${rowsOf(id)}`,
    );
  }
}

/** Adds a column of numbers, which are 0 in the rows that there are. */
const addNumber = (database: DatabaseSync, table: string, column: string): void =>
  database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} INTEGER NOT NULL DEFAULT 0`);
