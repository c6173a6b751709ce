import type { DatabaseSync } from "node:sqlite";

/** "Part" in ASCII: distinguishes our files from other SQLite databases. */
export const applicationId = 0x50617274;
/** The layout of the file. A program refuses files of a later one. */
export const formatVersion = 3;
/** The oldest layout that is brought to the present one when a file is opened. */
export const oldestFormat = 2;

/** The SQL name of a table's rows, by its number in the list of tables. */
export const rowsOf = (tableId: number): string => `rows${tableId}`;

/** The index that scans go through: a row's signature beside its keys. */
export const scanIndexOf = (tableId: number): string => `rows${tableId}_scan`;

/** Creates what every file has. */
export function createSchema(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE tables (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE);
    CREATE TABLE versions (id INTEGER PRIMARY KEY CHECK (id = 1), ts INTEGER NOT NULL);
    INSERT INTO versions (id, ts) VALUES (1, 0);
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${formatVersion};
  `);
}

/** Creates a table's rows. SQLite guards the keys, also where another program writes. */
export function createRows(database: DatabaseSync, tableId: number): void {
  database.exec(`
    CREATE TABLE ${rowsOf(tableId)} (
      id INTEGER PRIMARY KEY, pk TEXT NOT NULL, rk TEXT NOT NULL,
      s0 INTEGER NOT NULL DEFAULT 0, s1 INTEGER NOT NULL DEFAULT 0,
      ts INTEGER NOT NULL, body TEXT NOT NULL, crc INTEGER NOT NULL,
      UNIQUE (pk, rk)
    )`);
  createScanIndex(database, tableId);
}

const createScanIndex = (database: DatabaseSync, tableId: number): void =>
  database.exec(`CREATE INDEX ${scanIndexOf(tableId)} ON ${rowsOf(tableId)} (pk, rk, s0, s1)`);

/**
 * Brings a file of format 2 to the present one, in the caller's transaction. Its rows pass every test by signature until
 * they are written again. Whoever opened the file before and knows no signatures finds no clock any more, and so cannot
 * change a row without its signature.
 */
export function upgradeFormat(database: DatabaseSync): void {
  const tables = database.prepare("SELECT id FROM tables").all() as { id: number }[];
  for (const { id } of tables) {
    for (const column of ["s0", "s1"])
      database.exec(`ALTER TABLE ${rowsOf(id)} ADD COLUMN ${column} INTEGER NOT NULL DEFAULT 0`);
    createScanIndex(database, id);
  }
  database.exec(`ALTER TABLE clock RENAME TO versions; PRAGMA user_version = ${formatVersion}`);
}
