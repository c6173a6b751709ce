import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StorageError } from "../../values/errors/storage-error.ts";
import { shownTable } from "../../storage/limits.ts";
import { checksumOfTable } from "./row-checksum.ts";
import { createRows, rowsOf, tableNames } from "./schema.ts";

const maxStatements = 500;
const maxTables = 10_000;

/** Prepared statements of a database, each compiled once while it is in use. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #bySql = new Map<string, StatementSync>();
  /** Found tables, by the requested name. */
  readonly tables: Map<string, NamedTable> = new Map();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The statement for this SQL; rows come as arrays. */
  get(sql: string): StatementSync {
    const known = this.#bySql.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    // Programs send filters of many shapes. Drop the oldest statement to limit their number.
    const [oldest] = this.#bySql.keys();
    if (this.#bySql.size >= maxStatements && oldest !== undefined) this.#bySql.delete(oldest);
    this.#bySql.set(sql, statement);
    return statement;
  }
}

/** A table of the file. */
export interface StoredTable {
  readonly id: number;
  /** The initial value of the checksums of its rows: its {@link checksumOfTable}. */
  readonly checksum: number;
}

/** A cached table. */
export interface NamedTable extends StoredTable {
  /** The SQL name of its rows. */
  readonly rowsName: string;
}

/** A table, as found in a write transaction. */
interface FoundTable extends NamedTable {
  /** The last version assigned to one of its rows. */
  readonly version: number;
}

const tableByName = `SELECT t.id, t.name, s.ts FROM ${tableNames} t LEFT JOIN state s ON s.id = t.id WHERE t.name = ?`;

/** Finds a table by its name, in any case; undefined if it does not exist. */
export function findTable(statements: Statements, name: string): FoundTable | undefined {
  if (typeof name !== "string") throw StorageError.ofService("InvalidResourceName", shownTable(name));
  const row = statements.get(tableByName).get(name) as unknown as [number, string, unknown] | undefined;
  if (row === undefined) return undefined;
  const [id, ownName, ts] = row;
  const { tables } = statements;
  let known = tables.get(name);
  if (known?.id !== id) {
    if (tables.size >= maxTables) tables.clear();
    known = { id, checksum: checksumOfTable(id, ownName), rowsName: rowsOf(id) };
    tables.set(name, known);
  }
  // A damaged file may lack it. Versions then continue from the current time.
  return { ...known, version: typeof ts === "number" ? ts : 0 };
}

/** Adds a table, in the caller's transaction. */
export function addTable(statements: Statements, database: DatabaseSync, name: string): StoredTable {
  const insert = statements.get(`INSERT INTO ${tableNames} (name, crc) VALUES (?, 0)`);
  const id = Number(insert.run(name).lastInsertRowid);
  const checksum = checksumOfTable(id, name);
  statements.get(`UPDATE ${tableNames} SET crc = ? WHERE id = ?`).run(checksum, id);
  createRows(database, id);
  return { id, checksum };
}

/** A table. @throws StorageError `TableNotFound` */
export function tableIn(statements: Statements, name: string): FoundTable {
  const table = findTable(statements, name);
  if (table === undefined) throw StorageError.ofService("TableNotFound", shownTable(name));
  return table;
}

/**
 * Reads a table by its last known number, since looking it up takes as long as reading a row. A number is never reused,
 * and deleting a table drops its rows, so a read with an outdated number fails.
 *
 * @throws StorageError `TableNotFound`, or the errors of `read`
 */
export function readTable<Result>(
  statements: Statements,
  table: string,
  read: (table: NamedTable) => Result,
): Result {
  for (let known: NamedTable = statements.tables.get(table) ?? tableIn(statements, table); ;) {
    try {
      return read(known);
    } catch (error) {
      statements.tables.delete(table);
      const found = tableIn(statements, table);
      if (found.id === known.id) throw error;
      // Another process may delete this table before it is read, too.
      known = found;
    }
  }
}
