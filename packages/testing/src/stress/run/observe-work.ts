import { StorageError, type TableStorage } from "@partita/core";
import type { WriteOperation } from "@partita/core/storage";
import { forwardStorage, isError, isInternalTable, type Semaphore } from "@partita/core/internal";
import type { RequestOptions } from "@partita/core/storage";
import type { WorkRecord } from "./work-record.ts";

/** The common settings of all requests of a test. */
export interface ObservedPartition {
  readonly storage: TableStorage;
  readonly partitionKey: string;
  /** Limits concurrent requests. */
  readonly requests: Semaphore;
  /** Ends every request, so tables can be deleted. */
  readonly signal: AbortSignal;
}

/** The same storage; its requests are counted in the record of the work that sends them. */
export function observeWork(partition: ObservedPartition, record: WorkRecord): TableStorage {
  const { storage, partitionKey, requests, signal } = partition;
  const count = (table: string, key: string): void => {
    // A first save reads the states of indexes, which are rows of Partita.
    if (isInternalTable(table)) return;
    if (key === partitionKey) record.entities += 1;
    else {
      record.elsewhere += 1;
      record.otherKey = key;
    }
  };
  const send = async <Result>(
    options: RequestOptions | undefined,
    request: (own: RequestOptions) => Promise<Result>,
    counted: (result: Result) => void,
  ): Promise<Result> => {
    const signals = options?.signal === undefined ? signal : AbortSignal.any([options.signal, signal]);
    try {
      const result = await requests.run(() => {
        signal.throwIfAborted();
        return request({ ...options, signal: signals });
      });
      counted(result);
      return result;
    } catch (error) {
      noteError(record, error);
      throw error;
    }
  };
  return forwardStorage(storage, {
    query: (table, query, options) =>
      send(
        options,
        (own) => storage.query(table, query, own),
        ({ entities }) => {
          for (const { PartitionKey } of entities) count(table, PartitionKey);
        },
      ),
    get: (table, key, options) =>
      send(
        options,
        (own) => storage.get(table, key, own),
        (row) => row !== undefined && count(table, key.partitionKey),
      ),
    write: (table, operation, options) =>
      send(
        options,
        (own) => storage.write(table, operation, own),
        () => count(table, partitionOf(operation)),
      ),
    transact: (table, operations, options) =>
      send(
        options,
        (own) => storage.transact(table, operations, own),
        () => {
          for (const operation of operations) count(table, partitionOf(operation));
        },
      ),
  });
}

/** Classifies an error as the service's guidance does: too busy, server error, or the caller's error. */
export function noteError(record: WorkRecord, error: unknown): void {
  const { status, code } = StorageError.is(error) ? error : {};
  if (status === 503 || status === 429) record.busy++;
  else if (status === 500) record.failed++;
  else {
    record.otherErrors++;
    record.otherCode = code ?? (isError(error) ? error.name : typeof error);
  }
}

const partitionOf = (operation: WriteOperation): string =>
  operation.type === "delete" ? operation.key.partitionKey : operation.entity.PartitionKey;
