import type { DatabaseSync } from "node:sqlite";
import { retryWhileBusy } from "./busy-retry.ts";
import { FairLock } from "./fair-lock.ts";
import type { OpenFiles } from "./open-files.ts";
import { Statements } from "./table-statements.ts";

/** Lets long reads see one state of the storage while the event loop runs and other programs write. */
export interface Snapshots {
  /** Runs reads that all see the state of one moment. */
  read<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result>;
  /** The lock between reads and writes; undefined if they do not block each other. */
  readonly lock: FairLock | undefined;
  /** Runs a transaction that writes. */
  write<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): void;
}

/**
 * Snapshots of memory, which has one connection. A write waits for the reads before it, and later reads wait for that
 * write. A page scans a limited number of rows, so neither waits for long.
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

/** More connections would not read faster, since all of them run in this thread. */
const maxConnections = 2;

/**
 * Snapshots of a file: read transactions on separate connections. With a write-ahead log they block no other work; the
 * log cannot be checkpointed past them until they end.
 */
export class FileSnapshots implements Snapshots {
  readonly lock = undefined;
  readonly #connect: () => DatabaseSync;
  readonly #files: OpenFiles;
  readonly #busyTimeoutMs: number;
  readonly #free: Connection[] = [];
  readonly #all: DatabaseSync[] = [];
  readonly #waiting: ((connection: Connection) => void)[] = [];

  constructor(connect: () => DatabaseSync, files: OpenFiles, busyTimeoutMs: number) {
    this.#connect = connect;
    this.#files = files;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  async read<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    const connection = await this.#take();
    const { database, statements } = connection;
    try {
      // A transaction begins with its first statement, so only that statement can find the file locked.
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
    const database = this.#connect();
    try {
      // A new file under this name would have other rows than the open one.
      this.#files.check();
    } catch (error) {
      database.close();
      throw error;
    }
    this.#all.push(database);
    // 32 MiB, allocated as needed, so a repeated scan need not read the table again.
    database.exec("PRAGMA cache_size = -32768");
    return { database, statements: new Statements(database) };
  }
}

interface Connection {
  readonly database: DatabaseSync;
  readonly statements: Statements;
}
