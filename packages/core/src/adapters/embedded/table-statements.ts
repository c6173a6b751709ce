import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StorageError } from "../../errors/storage-error.ts";
import { shownTable } from "../../storage/limits.ts";
import { tableNames } from "./schema.ts";

const maxStatements = 500;
const maxTables = 10_000;

/** Prepared statements of a database, each compiled once while it is in use. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #bySql = new Map<string, StatementSync>();
  /** Tables by the names they were asked for under, as far as `readTable` has found them. */
  readonly tables: Map<string, number> = new Map();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The statement for this SQL; rows come as arrays. */
  get(sql: string): StatementSync {
    const known = this.#bySql.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    // Filters come in as many shapes as programs send: the oldest statement makes room.
    const [oldest] = this.#bySql.keys();
    if (this.#bySql.size >= maxStatements && oldest !== undefined) this.#bySql.delete(oldest);
    this.#bySql.set(sql, statement);
    return statement;
  }
}

/** Finds the number of a table. */
export const tableIdByName: string = `SELECT id FROM ${tableNames} WHERE name = ?`;

/** The number of a table; undefined when there is none of this name, in any case. */
export function findTable(statements: Statements, name: string): number | undefined {
  const row = statements.get(tableIdByName).get(name) as unknown as [number] | undefined;
  return row?.[0];
}

/** The number of a table. @throws StorageError `TableNotFound` */
export function tableIdIn(statements: Statements, table: string): number {
  const id = findTable(statements, table);
  if (id === undefined) throw StorageError.ofService("TableNotFound", shownTable(table));
  return id;
}

/**
 * Reads a table under the number that it had last, since to look that up takes as long as to read a row. A number never
 * stands for another table, and who drops a table drops its rows: reading under one that is out of date fails.
 *
 * @throws StorageError `TableNotFound`, or what `read` throws
 */
export function readTable<Result>(
  statements: Statements,
  table: string,
  read: (tableId: number) => Result,
): Result {
  const { tables } = statements;
  const known = tables.get(table);
  if (known === undefined) return readAnew();
  try {
    return read(known);
  } catch (error) {
    tables.delete(table);
    if (findTable(statements, table) === known) throw error;
    return readAnew();
  }

  function readAnew(): Result {
    const id = tableIdIn(statements, table);
    if (tables.size >= maxTables) tables.clear();
    tables.set(table, id);
    return read(id);
  }
}
