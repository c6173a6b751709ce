// A repair writes the undamaged rows of a file into a new one through this file: each row keeps its version and its
// time, and gets the checksum of its new table.

import type { DatabaseSync } from "node:sqlite";
import {
  addTable,
  openDatabaseFile,
  type PreparedOperation,
  type Row,
  rowsOf,
  RowWriter,
  Statements,
} from "@partita/core/internal/embedded";

const busyTimeoutMs = 5000;

/** The new file of a repair. */
export class RestoredFile {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #version: number;

  private constructor(database: DatabaseSync, version: number) {
    this.#database = database;
    this.#statements = new Statements(database);
    this.#version = version;
    database.prepare("UPDATE state SET ts = ? WHERE id = 0").run(version);
  }

  /** @param version - the last version that the other file assigned to a row */
  static async open(path: string, version: number): Promise<RestoredFile> {
    const { database } = await openDatabaseFile(path, { durability: "full", busyTimeoutMs });
    // Holds the lock between transactions too, so another repair knows that this one runs.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    return new RestoredFile(database, version);
  }

  /** Creates a table in a transaction, which `end()` of the table commits. */
  begin(table: string): RestoredTable {
    this.#database.exec("BEGIN IMMEDIATE");
    return new RestoredTable(this.#database, this.#statements, table, this.#version);
  }

  close(): void {
    this.#database.close();
  }
}

/** A table of the new file. */
export class RestoredTable {
  rows = 0;
  readonly #database: DatabaseSync;
  readonly #writer: RowWriter;
  readonly #versionOf: (pk: string, rk: string) => number | undefined;

  constructor(database: DatabaseSync, statements: Statements, name: string, version: number) {
    const table = addTable(statements, database, name);
    this.#database = database;
    this.#writer = new RowWriter(statements, table);
    this.#writer.begin(version);
    const sql = `SELECT ts FROM ${rowsOf(table.id)} WHERE pk = ? AND rk = ?`;
    this.#versionOf = (pk, rk) => (statements.get(sql).get(pk, rk) as unknown as [number] | undefined)?.[0];
  }

  has(pk: string, rk: string): boolean {
    return this.#versionOf(pk, rk) !== undefined;
  }

  /** Adds a row with its version. If a row with these keys exists, keeps the later one and returns false. */
  add([pk, rk, ts, body, , ahead]: Row): boolean {
    const other = this.#versionOf(pk, rk);
    if (other === ts) return true;
    const writer = this.#writer;
    writer.version = Math.max(writer.version, ts);
    if (other === undefined) this.rows++;
    if (other === undefined || other < ts) {
      const operation: PreparedOperation = {
        type: "upsert-replace",
        pk,
        rk,
        keyLength: pk.length + rk.length,
        body,
        members: {},
        isEmpty: false,
        version: undefined,
        bytes: 0,
      };
      writer.apply(operation, writer.read([operation])[0], { micros: ts, ahead });
    }
    return other === undefined;
  }

  /** Commits the added rows, and starts another transaction. */
  commit(): void {
    this.end();
    this.#database.exec("BEGIN IMMEDIATE");
    this.#writer.begin(this.#writer.version);
  }

  /** Commits the added rows. */
  end(): void {
    this.#writer.end();
    this.#database.exec("COMMIT");
  }
}
