import type { DatabaseSync } from "node:sqlite";
import { checksumOf } from "./row-checksum.ts";

/** "Part" in ASCII: distinguishes our files from other SQLite databases. */
export const applicationId = 0x50617274;
/**
 * The layout of the file. A program refuses files of a later one. Up to format 5, no row has packed bytes; up to format 6,
 * keys have an index of their own.
 */
export const formatVersion = 7;
/** The oldest layout that is brought to the present one when a file is opened. */
export const oldestFormat = 2;

/** The SQL name of the list of tables. Before format 5 it was `tables`: programs of then find no table any more. */
export const tableNames = "table_names";

/** Reads how many rows a table has, by its number; a damaged count may be more than a number of JavaScript holds. */
export const countOfTable: string = "SELECT max(0, min(rows, 1000000000)) FROM state WHERE id = ?";

/**
 * The SQL name of a table's rows, by its number in the list of tables. Programs remember these numbers: a later format that
 * they cannot read has to give the rows other names.
 */
export const rowsOf = (tableId: number): string => `rows${tableId}`;

/** The index that rows are found by, and that scans go through: a row's signature behind its keys. */
export const scanIndexOf = (tableId: number): string => `rows${tableId}_scan`;

/** What keeps a key from being stored twice. */
export const keyGuardOf = (tableId: number): string => `rows${tableId}_key`;

/** The index of keys alone that tables have which were made before format 7. SQLite made it, and gave it its name. */
export const keyIndexOf = (tableId: number): string => `sqlite_autoindex_rows${tableId}_1`;

/**
 * Creates what every file has. `state` has the last version that was given to a row of any table, under 0, and under the
 * number of each table what its rows add up to: both change with every commit, and so share a page.
 */
export function createSchema(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE ${tableNames} (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE, crc INTEGER NOT NULL DEFAULT 0
    );
    ${createState};
    INSERT INTO state (id) VALUES (0);
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${formatVersion};
  `);
}

export const createState: string = `CREATE TABLE state (
  id INTEGER PRIMARY KEY, ts INTEGER NOT NULL DEFAULT 0, rows INTEGER NOT NULL DEFAULT 0, sum INTEGER NOT NULL DEFAULT 0
)`;

/** The checksum of a table's name. A letter that became a capital would still be found. */
export const checksumOfName = (name: string): number => checksumOf(name, "", 0, "");

/** Sums of checksums are of this many values, so that they are exact as numbers of JavaScript. */
export const sumMask: number = 2 ** 52 - 1;

/** Columns of a table's rows. */
const rowDefinitions = `
  id INTEGER PRIMARY KEY, pk TEXT NOT NULL, rk TEXT NOT NULL,
  s0 INTEGER NOT NULL DEFAULT 0, s1 INTEGER NOT NULL DEFAULT 0,
  ts INTEGER NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL, ahead INTEGER NOT NULL DEFAULT 0`;

/**
 * Creates a table's rows. SQLite guards the keys, also where another program writes: by a trigger, since a unique index of
 * keys alone, beside the one with signatures, would cost as much again for every row that comes between others.
 */
export function createRows(database: DatabaseSync, tableId: number): void {
  database.exec(`
    CREATE TABLE ${rowsOf(tableId)} (${rowDefinitions});
    INSERT INTO state (id) VALUES (${tableId})`);
  createScanIndex(database, tableId);
  database.exec(createKeyGuard(tableId));
}

/** Creates a table's rows as they were made before format 7: to compare those of such a table with. */
export function createOlderRows(database: DatabaseSync, tableId: number): void {
  database.exec(`CREATE TABLE ${rowsOf(tableId)} (${rowDefinitions}, UNIQUE (pk, rk))`);
  createScanIndex(database, tableId);
}

/** Refuses an insert of a key that is there. No statement of this library changes the key of a row. */
const createKeyGuard = (tableId: number): string =>
  `CREATE TRIGGER ${keyGuardOf(tableId)} BEFORE INSERT ON ${rowsOf(tableId)}
  WHEN EXISTS (SELECT 1 FROM ${rowsOf(tableId)} WHERE pk = NEW.pk AND rk = NEW.rk)
  BEGIN SELECT RAISE(FAIL, '${keyIsThere}'); END`;

/** What SQLite says where a key is there. */
export const keyIsThere = "UNIQUE constraint failed: pk, rk";

/** Whether a table was made before format 7, and so has an index of keys alone. */
export const hasKeyIndex = (database: DatabaseSync, tableId: number): boolean =>
  database
    .prepare("SELECT 1 FROM pragma_index_list(?) WHERE name = ?")
    .get(rowsOf(tableId), keyIndexOf(tableId)) !== undefined;

/** Removes a table's rows. */
export const dropRows = (database: DatabaseSync, tableId: number): void =>
  database.exec(`DROP TABLE ${rowsOf(tableId)}; DELETE FROM state WHERE id = ${tableId}`);

export const createScanIndex = (database: DatabaseSync, tableId: number): void =>
  database.exec(`CREATE INDEX ${scanIndexOf(tableId)} ON ${rowsOf(tableId)} (pk, rk, s0, s1)`);
