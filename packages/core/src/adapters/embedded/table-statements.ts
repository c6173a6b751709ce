import type { DatabaseSync, StatementSync } from "node:sqlite";
import { tableNames } from "./schema.ts";

const maxStatements = 500;

/** Prepared statements of a database, each compiled once while it is in use. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #bySql = new Map<string, StatementSync>();

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
