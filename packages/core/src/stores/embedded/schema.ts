import type { DatabaseSync } from "node:sqlite";

/** "Prti" in ASCII: distinguishes our files from other SQLite databases. */
export const applicationId = 0x50727469;
/** "Part": files of versions that were never released. */
export const unreleasedId = 0x50617274;
/** The version of the file format. A program refuses files of a later version. */
export const formatVersion = 1;

/** The SQL name of the list of tables. */
export const tableNames = "table_names";

/** Reads the row count of a table by its number. A damaged count may exceed the range of a JavaScript number. */
export const countOfTable: string = "SELECT max(0, min(rows, 1000000000)) FROM state WHERE id = ?";

/**
 * The SQL name of a table's rows, by its number in the list of tables. Programs cache these numbers, so a later,
 * incompatible format has to use other names.
 */
export const rowsOf = (tableId: number): string => `rows${tableId}`;

/** The index of a table's keys, used to find rows and to scan. */
export const keyIndexOf = (tableId: number): string => `rows${tableId}_key`;

/**
 * Creates the tables that every file has. `state` contains the values that change with each commit, on a shared page.
 * The row with a table's number contains the last version assigned in it and the totals of its rows. Row 0 contains the
 * last version of all deleted tables, at which new tables start: no version is repeated when clocks are set back.
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
