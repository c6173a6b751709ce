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
  /** Tables that were found, by the names they were requested under. */
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
    // Filters come in as many shapes as programs send: the oldest statement is dropped to limit their number.
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

/** A table, as a transaction that writes finds it. */
interface FoundTable extends NamedTable {
  /** The last version that was assigned to one of its rows. */
  readonly version: number;
}

const tableByName = `SELECT t.id, t.name, s.ts FROM ${tableNames} t LEFT JOIN state s ON s.id = t.id WHERE t.name = ?`;

/** A table; undefined when there is none of this name, in any case. */
export function findTable(statements: Statements, name: string): FoundTable | undefined {
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
  // A damaged file may lack it. Versions then count on from the time.
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
 * Reads a table under the number that it had last, since to look that up takes as long as to read a row. A number is
 * never reused for another table, and dropping a table drops its rows: reading under one that is out of date fails.
 *
 * @throws StorageError `TableNotFound`, or what `read` throws
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
      // Another process can drop this one, too, before it is read.
      known = found;
    }
  }
}
