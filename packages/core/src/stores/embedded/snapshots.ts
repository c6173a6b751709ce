import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { retryWhileBusy } from "./busy-retry.ts";
import { FairLock } from "./fair-lock.ts";
import { loadSqlite } from "./load-sqlite.ts";
import type { OpenFiles } from "./open-files.ts";
import { Statements } from "./table-statements.ts";

/** Lets long reads see one state of the storage while the event loop turns and other programs write. */
export interface Snapshots {
  /** Runs reads that all see the state of one moment. */
  read<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result>;
  /** The lock that reads and writes wait for; undefined where they do not hold each other up. */
  readonly lock: FairLock | undefined;
  /** Runs a transaction that writes. */
  write<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): void;
}

/**
 * Snapshots of memory, which has one connection: writes wait until the reads that have begun are done, and reads that
 * come later wait for those writes. A page passes a bounded number of rows, so neither waits for long.
 */
export class MemorySnapshots implements Snapshots {
  readonly #statements: Statements;
  readonly lock: FairLock = new FairLock();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  read<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.lock.shared(() => work(this.#statements));
  }

  write<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.lock.alone(work);
  }

  close(): void {
    // The connection belongs to the storage.
  }
}

/** More would read no faster: all of them run in this thread. */
const maxConnections = 2;

/**
 * Snapshots of a file: read transactions on connections of their own. With a write-ahead log they block no other
 * work; only the log cannot be checkpointed beyond them until they end.
 */
export class FileSnapshots implements Snapshots {
  readonly lock = undefined;
  /** Absolute, since the process may change its folder before the first connection is opened. */
  readonly #path: string;
  readonly #files: OpenFiles;
  readonly #busyTimeoutMs: number;
  readonly #free: Connection[] = [];
  readonly #all: DatabaseSync[] = [];
  readonly #waiting: ((connection: Connection) => void)[] = [];

  constructor(path: string, files: OpenFiles, busyTimeoutMs: number) {
    this.#path = resolve(path);
    this.#files = files;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  async read<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    const connection = await this.#take();
    const { database, statements } = connection;
    try {
      // A transaction begins with its first statement: that one alone can find the file locked.
      await retryWhileBusy(() => {
        if (!database.isTransaction) database.exec("BEGIN");
        statements.get("SELECT count(*) FROM sqlite_schema").get();
      }, this.#busyTimeoutMs);
      return await work(statements);
    } finally {
      if (database.isTransaction) database.exec("ROLLBACK");
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(connection);
      else next(connection);
    }
  }

  write<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  close(): void {
    for (const database of this.#all) database.close();
  }

  async #take(): Promise<Connection> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#all.length === maxConnections) return new Promise((take) => this.#waiting.push(take));
    const { DatabaseSync: Database } = loadSqlite();
    const database = new Database(this.#path, { readOnly: true, timeout: 0 });
    try {
      // Another file under this name has other rows than the one that is written to.
      this.#files.check();
    } catch (error) {
      database.close();
      throw error;
    }
    this.#all.push(database);
    // 32 MiB, allocated as needed: a table that is scanned again need not be read again.
    database.exec("PRAGMA cache_size = -32768");
    return { database, statements: new Statements(database) };
  }
}

interface Connection {
  readonly database: DatabaseSync;
  readonly statements: Statements;
}
