import { markerRow } from "../codec/commit-rows.ts";
import type { EntityKey } from "../edm/stored-entity.ts";
import { StorageError } from "../errors/storage-error.ts";
import { maxTransactionOperations } from "../storage/limits.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import { isTransient } from "../storage/retry-policy.ts";
import type { Retries } from "../storage/with-retry.ts";
import { keyOfOperation, type WriteOperation, type WriteResult } from "../storage/write-operation.ts";
import { rememberMarker, takeExpiredMarkers } from "./expired-markers.ts";

/** A transaction of a table with `proof: "marker"`. */
interface MarkedTransaction {
  readonly table: string;
  readonly operations: readonly WriteOperation[];
  /** The RowKey of its marker. */
  readonly marker: string;
  readonly retries: Retries;
}

/**
 * One transaction with its marker first, so that a repetition is refused there, whatever else would be refused; and with
 * removals of a few expired markers last.
 *
 * @throws StorageError about the operations; `applied: "maybe"` where the marker is there already: an earlier attempt was
 *   carried out, or the write was closed
 */
export async function transactMarked(
  storage: TableStorage,
  { table, operations, marker, retries }: MarkedTransaction,
  options: RequestOptions,
): Promise<readonly WriteResult[]> {
  const key = markerKey(operations, marker);
  const insert: WriteOperation = { type: "insert", entity: markerRow(key, "written") };
  const room = maxTransactionOperations - operations.length - 1;
  let removals = takeExpiredMarkers(retries, table, key, room).map((rowKey): WriteOperation => ({
    type: "delete",
    key: { ...key, rowKey },
    etag: "*",
  }));
  const send = (): Promise<readonly WriteResult[]> =>
    storage.transact(table, [insert, ...operations, ...removals], options);
  // What passes by itself is not refused: it is sent again as the policy says.
  const isOfRemoval = (error: StorageError): boolean =>
    removals.length > 0 &&
    error.applied === "no" &&
    (error.index ?? Number.POSITIVE_INFINITY) > operations.length &&
    !isTransient(error);
  try {
    const results = await send().catch((error: unknown) => {
      if (!(error instanceof StorageError) || !isOfRemoval(error)) throw error;
      // Somebody else has removed an expired marker: the transaction does without.
      removals = [];
      return send();
    });
    rememberMarker(retries, table, key);
    return results.slice(1, results.length - removals.length);
  } catch (error) {
    if (!(error instanceof StorageError) || error.index === undefined) throw error;
    if (error.index > 0) throw error.atIndex(error.index - 1);
    throw isMarkerThere(error) ? error.asMaybeApplied() : error;
  }
}

const markerKey = ([first]: readonly WriteOperation[], rowKey: string): EntityKey => ({
  partitionKey: keyOfOperation(first as WriteOperation).partitionKey,
  rowKey,
});

/** Whether a transaction was refused since its marker is there already. */
export const isMarkerThere = ({ index, serviceCode }: StorageError): boolean =>
  index === 0 && serviceCode === "EntityAlreadyExists";
