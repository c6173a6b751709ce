import type { DatabaseSync } from "node:sqlite";

/** "Prti" in ASCII: distinguishes our files from other SQLite databases. */
export const applicationId = 0x50727469;
/** "Part": files of versions that were never released. */
export const unreleasedId = 0x50617274;
/** The layout of the file. A program refuses files of a later one. */
export const formatVersion = 1;

/** The SQL name of the list of tables. */
export const tableNames = "table_names";

/** Reads how many rows a table has, by its number; a damaged count may be more than a number of JavaScript holds. */
export const countOfTable: string = "SELECT max(0, min(rows, 1000000000)) FROM state WHERE id = ?";

/**
 * The SQL name of a table's rows, by its number in the list of tables. Programs remember these numbers: a later
 * format that they cannot read has to give the rows other names.
 */
export const rowsOf = (tableId: number): string => `rows${tableId}`;

/** The index of a table's keys: rows are found by it, and scans go through it. */
export const keyIndexOf = (tableId: number): string => `rows${tableId}_key`;

/**
 * Creates the tables that every file has. `state` has the values that change with each commit, which therefore share
 * a page: under the number of a table, the last version assigned to one of its rows, and the totals of its rows;
 * under 0, the last version of all deleted tables. New tables start with that one, so no version is repeated when
 * clocks step back.
 */
export function createSchema(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE ${tableNames} (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE, crc INTEGER NOT NULL
    );
    CREATE TABLE state (
      id INTEGER PRIMARY KEY, ts INTEGER NOT NULL DEFAULT 0, rows INTEGER NOT NULL DEFAULT 0, sum INTEGER NOT NULL DEFAULT 0
    );
    INSERT INTO state (id) VALUES (0);
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${formatVersion};
  `);
}

/** Sums of checksums are taken modulo this many values, so they are exact as numbers of JavaScript. */
export const sumMask: number = 2 ** 52 - 1;

/** Creates a table's rows. */
export function createRows(database: DatabaseSync, tableId: number): void {
  database.exec(`
    CREATE TABLE ${rowsOf(tableId)} (
      id INTEGER PRIMARY KEY, pk TEXT NOT NULL, rk TEXT NOT NULL, ts INTEGER NOT NULL, body BLOB NOT NULL,
      crc INTEGER NOT NULL, ahead INTEGER NOT NULL
    );
    CREATE UNIQUE INDEX ${keyIndexOf(tableId)} ON ${rowsOf(tableId)} (pk, rk);
    INSERT INTO state (id, ts) SELECT ${tableId}, ts FROM state WHERE id = 0;
  `);
}

/** Deletes a table's rows. */
export const dropRows = (database: DatabaseSync, tableId: number): void =>
  database.exec(`
    DROP TABLE ${rowsOf(tableId)};
    UPDATE state SET ts = (SELECT max(ts) FROM state WHERE id IN (0, ${tableId})) WHERE id = 0;
    DELETE FROM state WHERE id = ${tableId};
  `);
