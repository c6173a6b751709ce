import { type EntityKey, StorageError, type TableStorage } from "@partita/core";
import {
  bytesInTransaction,
  isOvertaken,
  type Patiently,
  patientlyBy,
  retriesOf,
  transactionGroups,
} from "@partita/core/internal";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import type { Session } from "../session/session.ts";

/** A change of one row, under the ETag that was read. */
export interface RowChange {
  readonly key: EntityKey;
  readonly etag: string;
  readonly operation: WriteOperation;
  /** Whether a row that was read again is as the change leaves it. Undefined if it does not exist. */
  readonly isDone: (row: StoredEntity | undefined) => boolean;
}

/** Transactions that are sent concurrently. */
const concurrency = 8;

/**
 * Changes the rows of a table, those of one partition in transactions. A row is left if its ETag no longer matches. If
 * a retry is refused after a lost response, the row is read to find out whether the first attempt changed it.
 */
export class RowChanges {
  /** Rows that are changed, which is also true after a stop. */
  done = 0;
  /** Rows that another program changed or deleted meanwhile. */
  readonly overtaken: EntityKey[] = [];
  readonly refused: { readonly key: EntityKey; readonly reason: Error }[] = [];
  readonly #storage: TableStorage;
  readonly #table: string;
  readonly #session: Pick<Session, "bar" | "signal">;
  readonly #patiently: Patiently;

  constructor(storage: TableStorage, table: string, session: Pick<Session, "bar" | "signal">) {
    this.#storage = storage;
    this.#table = table;
    this.#session = session;
    this.#patiently = patientlyBy(retriesOf(storage), session.signal);
  }

  /** Applies changes, and makes each one only when it is sent. A signal stops it between two transactions. */
  async run(changes: Iterable<RowChange>, count: number): Promise<void> {
    const { bar, signal } = this.#session;
    // A failure ends the generator for all workers, and each finishes what it has sent.
    const groups = transactionGroups(changes, ({ key, operation }) => [
      key.partitionKey,
      bytesInTransaction(operation),
    ]);
    const total = count.toLocaleString("en");
    const worker = async (): Promise<void> => {
      for (const group of groups) {
        signal.throwIfAborted();
        await this.#send(group);
        bar.say(`${this.#table}  ${this.done.toLocaleString("en")} of ${total} rows`);
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: concurrency }, worker));
    bar.end();
    for (const each of ended) if (each.status === "rejected") throw each.reason;
  }

  async #send(group: readonly RowChange[]): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    const operations = group.map(({ operation }) => operation);
    try {
      await this.#patiently<unknown>(() =>
        group.length === 1
          ? this.#storage.write(this.#table, first.operation)
          : this.#storage.transact(this.#table, operations),
      );
      this.done += group.length;
    } catch (error) {
      if (!isAboutRow(error)) throw error;
      const at = group.length === 1 ? 0 : error.index;
      const change = at === undefined ? undefined : group[at];
      if (at === undefined || change === undefined) for (const each of group) await this.#send([each]);
      else {
        await this.#judge(change, error);
        await this.#send(group.toSpliced(at, 1));
      }
    }
  }

  async #judge({ key, etag, isDone }: RowChange, reason: Error): Promise<void> {
    const row = await this.#patiently(() => this.#storage.get(this.#table, key));
    if (isDone(row)) this.done++;
    else if (isOvertaken(reason) || row?.["odata.etag"] !== etag) this.overtaken.push(key);
    else this.refused.push({ key, reason });
  }
}

/** Whether storage refused one row. Other failures would meet every row. */
const isAboutRow = (error: unknown): error is StorageError =>
  StorageError.is(error) &&
  error.applied === "no" &&
  [400, 404, 409, 412, 413].includes(error.status ?? 0) &&
  error.serviceCode !== "TableNotFound" &&
  error.serviceCode !== "TableBeingDeleted";
