// The embedded storage implements the storage port with SQLite, in memory or in a file. Reads go through
// `page-reader.ts`, writes through `write-queue.ts`. `prepare-operation.ts` first checks operations as the service
// does.

import { markCopy } from "../../values/errors/brand.ts";
import type { DatabaseSync } from "node:sqlite";
import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import { cancelled, StorageError } from "../../values/errors/storage-error.ts";
import type { FilterNode } from "../../values/filter/filter-node.ts";
import { checkStoredKey, toOrderedText } from "../../values/keys/key-rules.ts";
import { type Clock, systemClock } from "../../storage/clock.ts";
import { isTableName, shownTable } from "../../storage/limits.ts";
import type { RowReader } from "../../storage/row-reader.ts";
import {
  type FoundRow,
  offerEngine,
  portOf,
  type RowPage,
  type StoreEngine,
} from "../../storage/store-engine.ts";
import type { StoredPage, RequestOptions, StoredQuery, TableStorage } from "../../storage/table-storage.ts";
import type { WriteOperation, WriteResult } from "../../storage/write-operation.ts";
import { retryWhileBusy } from "./busy-retry.ts";
import { CheckedRows } from "./checked-rows.ts";
import { countRange } from "./count-range.ts";
import { type OpenDatabase, openDatabaseFile } from "./database-file.ts";
import type { FixedFiles } from "./fixed-files.ts";
import { inTransaction } from "./in-transaction.ts";
import type { OpenFiles } from "./open-files.ts";
import { type PagePlan, planPage } from "./page-plan.ts";
import { firstChunk, type PageSource, readSeek, readShortPage, scanPage } from "./page-reader.ts";
import { type PreparedOperation, prepareOperation } from "./prepare-operation.ts";
import { prepareOne } from "../../storage/check-write.ts";
import { prepareTransaction } from "../sql/prepare-transaction.ts";
import { RowLengths } from "./row-lengths.ts";
import { dropRows, tableNames } from "./schema.ts";
import { FileSnapshots, MemorySnapshots, type Snapshots } from "./snapshots.ts";
import { isBusy, toStorageError } from "./sqlite-errors.ts";
import { checkRow, contentColumns, type Row, type RowContent, StoredBody, toEntity } from "./stored-row.ts";
import { addTable, findTable, readTable, Statements, type StoredTable, tableIn } from "./table-statements.ts";
import { WriteQueue } from "./write-queue.ts";

/** Options of an embedded store. */
export interface EmbeddedOptions {
  /**
   * `full` (default): a write is on the disk when its promise resolves. `normal`: it survives a crash of the process,
   * while a power loss may drop the latest commits; the file is never corrupted.
   */
  readonly durability?: "full" | "normal" | undefined;
  /** How long to wait for a lock that another process holds, in milliseconds: 0 or more; default 5000. */
  readonly busyTimeoutMs?: number | undefined;
  /** The clock for Timestamps; by default this machine's. ETags rise even if the clock is set back. */
  readonly clock?: Clock | undefined;
}

/**
 * Opens the embedded store: one SQLite file, or memory for `:memory:`. Several processes may open the same file;
 * SQLite's locks coordinate them. Network file systems are not supported.
 *
 * @throws StorageError if the file cannot be opened, is locked, damaged, or written by a newer version or another
 *   program
 */
export async function openEmbedded(path: string, options: EmbeddedOptions = {}): Promise<TableStorage> {
  const { durability = "full", busyTimeoutMs = 5000, clock = systemClock } = options;
  const opened = await openDatabaseFile(path, { durability, busyTimeoutMs });
  const storage = new EmbeddedStorage(opened, path, busyTimeoutMs, clock);
  offerEngine(storage, storage, declared);
  return storage;
}

/** How long consecutive reads may run before they yield to the event loop, in milliseconds. */
const maxTurnMs = 4;

class EmbeddedStorage implements TableStorage, StoreEngine {
  static {
    markCopy(this.prototype);
  }

  readonly description: string;
  readonly #database: DatabaseSync;
  readonly #files: OpenFiles | undefined;
  readonly #fixed: FixedFiles | undefined;
  readonly #statements: Statements;
  readonly #snapshots: Snapshots;
  readonly #lengths = new RowLengths();
  readonly #checkedRows: CheckedRows | undefined;
  readonly #queue: WriteQueue;
  readonly #file: string;
  readonly #busyTimeoutMs: number;
  readonly #clock: Clock;
  /** When a read last yielded to the event loop. */
  #turnedAt = 0;
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(
    { database, files, connect, fixed }: OpenDatabase,
    path: string,
    busyTimeoutMs: number,
    clock: Clock,
  ) {
    this.#database = database;
    this.#files = files;
    this.#fixed = fixed;
    this.#checkedRows = files && new CheckedRows();
    this.#file = path === ":memory:" ? "The memory store" : path;
    this.description = path === ":memory:" ? "memory:" : `file:${path}`;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#clock = clock;
    this.#statements = new Statements(database);
    this.#snapshots =
      files === undefined
        ? new MemorySnapshots(this.#statements)
        : new FileSnapshots(connect, files, busyTimeoutMs);
    this.#queue = new WriteQueue({
      database,
      files,
      statements: this.#statements,
      snapshots: this.#snapshots,
      file: this.#file,
      busyTimeoutMs,
      clock,
    });
  }

  readonly readsBackwards = true;
  readonly reachedTime = (): number => this.#clock.now();

  async query(table: string, query: StoredQuery, options?: RequestOptions): Promise<StoredPage> {
    const { rows, next } = await this.#readPage(table, query, undefined, options);
    return { entities: rows as readonly StoredEntity[], ...(next !== undefined && { next }) };
  }

  readRows(table: string, query: StoredQuery, reader: RowReader, options?: RequestOptions): Promise<RowPage> {
    return this.#readPage(table, query, reader, options);
  }

  #readPage(
    table: string,
    query: StoredQuery,
    reader: RowReader | undefined,
    options: RequestOptions | undefined,
  ): Promise<RowPage> {
    const sourceIn = (statements: Statements, { id, checksum }: StoredTable): PageSource => ({
      statements,
      tableId: id,
      checksum,
      checkedRows: this.#checkedRows,
      lengths: this.#lengths,
      wanted: reader === undefined ? "objects" : reader.isBare === true ? "keys" : "bytes",
      reader,
    });
    const readAtOnce = (): RowPage | PagePlan => {
      const plan = planPage(query);
      if (plan !== undefined) return readTable(this.#statements, table, (found) => readPlan(plan, found));
      tableIn(this.#statements, table);
      return { rows: [] };
    };
    const readPlan = (plan: PagePlan, found: StoredTable): RowPage | PagePlan => {
      const source = sourceIn(this.#statements, found);
      // In memory, there is no other writer while this runs.
      const isSeek = plan.condition === undefined;
      if (isSeek && this.#files === undefined) return readSeek(source, plan);
      const short = isSeek && plan.top > firstChunk ? undefined : readShortPage(source, plan);
      if (short !== undefined || !isSeek) return short ?? plan;
      return inTransaction(this.#database, "BEGIN", () => readSeek(source, plan));
    };
    return this.#track(async () => {
      const page = await this.#read(options, readAtOnce);
      if ("rows" in page) return page;
      return this.#scan((statements) =>
        scanPage(sourceIn(statements, tableIn(statements, table)), page, options?.signal),
      );
    });
  }

  countRows(
    table: string,
    filter: FilterNode | undefined,
    absent: string | undefined,
    options?: RequestOptions,
  ): Promise<number | undefined> {
    return this.#track(async () => {
      const plan = await this.#read(options, () => planPage({ ...(filter && { filter }) }));
      if (plan === undefined || plan.condition !== undefined) return undefined;
      return this.#scan((statements) => {
        const { id: tableId } = tableIn(statements, table);
        return countRange({ statements, tableId }, plan.bounds, absent, options?.signal);
      });
    });
  }

  get(table: string, key: EntityKey, options?: RequestOptions): Promise<StoredEntity | undefined> {
    return this.#find(table, key, options, toEntity);
  }

  readRow(
    table: string,
    key: EntityKey,
    reader: Pick<RowReader, "readBody">,
    options?: RequestOptions,
  ): Promise<FoundRow | undefined> {
    return this.#find(table, key, options, (found, checksum) => {
      checkRow(found, checksum);
      const body = new StoredBody(found);
      return { row: reader.readBody(body) ?? toEntity(found, checksum), etag: body.etag };
    });
  }

  #find<Found>(
    table: string,
    key: EntityKey,
    options: RequestOptions | undefined,
    read: (row: Row, checksum: number) => Found,
  ): Promise<Found | undefined> {
    return this.#read(options, () => {
      checkStoredKey(key?.partitionKey, key?.rowKey);
      return readTable(this.#statements, table, ({ rowsName, checksum }) => {
        const [pk, rk] = [toOrderedText(key.partitionKey), toOrderedText(key.rowKey)];
        const sql = `SELECT ${contentColumns} FROM ${rowsName} WHERE pk = ? AND rk = ?`;
        const found = this.#statements.get(sql).get(pk, rk) as unknown as RowContent | undefined;
        if (found === undefined) return undefined;
        const [ts, body, crc, ahead] = found;
        return read([pk, rk, ts, body, crc, ahead], checksum);
      });
    });
  }

  async write(table: string, operation: WriteOperation, options?: RequestOptions): Promise<WriteResult> {
    this.#checkOpen(options?.signal);
    const [result] = await this.#queue.add(table, [prepareOne(operation, asGiven)], false, options?.signal);
    return result as WriteResult;
  }

  async transact(
    table: string,
    operations: readonly WriteOperation[],
    options?: RequestOptions,
  ): Promise<readonly WriteResult[]> {
    this.#checkOpen(options?.signal);
    return this.#queue.add(table, prepareTransaction(operations, asGiven), true, options?.signal);
  }

  async commit(
    table: string,
    operations: readonly WriteOperation[],
    options?: RequestOptions,
  ): Promise<readonly WriteResult[]> {
    this.#checkOpen(options?.signal);
    return this.#queue.add(table, prepareTransaction(operations, asEncoded), true, options?.signal);
  }

  async createTable(table: string, options?: RequestOptions): Promise<void> {
    const existing = (): StoredTable | undefined => findTable(this.#statements, table);
    try {
      await this.#change(options, () => {
        if (!isTableName(table)) throw StorageError.ofService("InvalidResourceName", shownTable(table));
        if (existing() !== undefined) throw StorageError.ofService("TableAlreadyExists", table);
        addTable(this.#statements, this.#database, table);
      });
    } catch (error) {
      const isReadOnly = StorageError.is(error) && error.code === "storage.read-only";
      const found = isReadOnly && (await this.#read(options, existing).catch(() => undefined));
      // Programs that create their tables when they start can read a read-only file.
      if (found) throw StorageError.ofService("TableAlreadyExists", table);
      throw error;
    }
  }

  deleteTable(table: string, options?: RequestOptions): Promise<void> {
    return this.#change(options, () => {
      const found = findTable(this.#statements, table);
      if (found === undefined) throw StorageError.ofService("ResourceNotFound", shownTable(table));
      this.#statements.get(`DELETE FROM ${tableNames} WHERE id = ?`).run(found.id);
      dropRows(this.#database, found.id);
    });
  }

  listTables(options?: RequestOptions): Promise<readonly string[]> {
    return this.#read(options, () =>
      this.#statements
        .get(`SELECT name FROM ${tableNames} ORDER BY name COLLATE NOCASE`)
        .all()
        .map((row) => (row as unknown as [string])[0]),
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  /** Waits for all accepted work, then releases the file. */
  async #finish(): Promise<void> {
    await this.#queue.drain();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    this.#snapshots.close();
    this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Runs a read immediately. It yields first if reads have not yielded for a while, as in streams of pages, and retries
   * while another process holds a lock.
   */
  async #read<Result>(options: RequestOptions | undefined, work: () => Result): Promise<Result> {
    this.#checkOpen(options?.signal);
    const fixed = this.#fixed;
    const read = fixed === undefined ? work : (): Result => fixed.read(work);
    if (performance.now() - this.#turnedAt <= maxTurnMs) {
      try {
        return read();
      } catch (error) {
        if (!isBusy(error)) throw toStorageError(error, this.#file);
      }
    }
    return this.#track(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      this.#turnedAt = performance.now();
      if (options?.signal?.aborted === true) throw cancelled(options.signal);
      return this.#whenFree(read);
    });
  }

  /** A read that yields to other work. */
  async #scan<Result>(scan: (statements: Statements) => Promise<Result>): Promise<Result> {
    try {
      return await this.#snapshots.read(scan);
    } catch (error) {
      throw toStorageError(error, this.#file);
    } finally {
      this.#fixed?.check();
    }
  }

  /** Changes the list of tables, in a transaction of its own after all waiting writes. */
  async #change(options: RequestOptions | undefined, change: () => void): Promise<void> {
    this.#checkOpen(options?.signal);
    return this.#track(async () => {
      await this.#queue.drain();
      return this.#snapshots.write(async () => {
        await this.#files?.confirmSizes(this.#database, this.#busyTimeoutMs);
        await this.#whenFree(() => {
          inTransaction(this.#database, "BEGIN IMMEDIATE", () => {
            change();
            this.#files?.check();
          });
          this.#files?.noteCommit();
        });
      });
    });
  }

  /** Runs `work`, and retries it while another process holds the lock. */
  async #whenFree<Result>(work: () => Result): Promise<Result> {
    try {
      return await retryWhileBusy(work, this.#busyTimeoutMs);
    } catch (error) {
      throw toStorageError(error, this.#file);
    }
  }

  /** Keeps the file open until this work is done. */
  async #track<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  #checkOpen(signal: AbortSignal | undefined): void {
    if (this.#closing !== undefined)
      throw new StorageError(
        "storage.closed",
        `${this.#file} is closed. Await every save and query before close(), or open it again with openStorage.`,
        {
          applied: "no",
        },
      );
    if (signal?.aborted === true) throw cancelled(signal);
  }
}

const asGiven = (operation: WriteOperation): PreparedOperation => prepareOperation(operation, false);
const asEncoded = (operation: WriteOperation): PreparedOperation => prepareOperation(operation, true);

/** The declared methods, even if the class is changed later. */
const declared = portOf(EmbeddedStorage.prototype);
