// `send-batches.ts` calls `transactMarked` for transactions with a commit marker or messages. The marker is inserted
// first, so a retry of an applied request is refused at the marker; deletes of a few expired markers come last.

import { markerRow } from "../../model/codec/commit-rows.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import { maxTransactionOperations } from "../../storage/limits.ts";
import type { RowStorage } from "../../storage/store-engine.ts";
import type { RequestOptions } from "../../storage/table-storage.ts";
import { isMarkerThere } from "../recovery/marker.ts";
import type { Write } from "../recovery/attempt.ts";
import { isTransient } from "../../storage/retry-policy.ts";
import type { Retries } from "../../storage/with-retry.ts";
import { keyOfOperation, type WriteOperation, type WriteResult } from "../../storage/write-operation.ts";
import { rememberMarker, takeExpiredMarkers } from "./expired-markers.ts";

/**
 * Sends one transaction with its marker first, so a repetition is always refused there, and with deletes of a few
 * expired markers last. The first message, if there is one, serves as the marker.
 *
 * @throws StorageError about the operations; `applied: "maybe"` if the marker or a message already exists: an earlier
 *   attempt was applied, or the write was closed
 */
export async function transactMarked(
  storage: RowStorage,
  { table, marker, outbox }: Pick<Write, "table" | "marker" | "outbox">,
  operations: readonly WriteOperation[],
  retries: Retries,
  options: RequestOptions,
): Promise<readonly WriteResult[]> {
  if (outbox?.some(({ isOutdated }) => isOutdated()) === true) throw tooLate();
  const { partitionKey } = keyOfOperation(operations[0] as WriteOperation);
  const key = { partitionKey, rowKey: marker as string };
  const rows = outbox === undefined ? [markerRow(key, "written")] : outbox.map(({ row }) => row);
  const inserts = rows.map((entity): WriteOperation => ({ type: "insert", entity }));
  const room = maxTransactionOperations - operations.length - inserts.length;
  let removals = takeExpiredMarkers(retries, table, key, room).map((rowKey): WriteOperation => ({
    type: "delete",
    key: { ...key, rowKey },
    etag: "*",
  }));
  const send = (): Promise<readonly WriteResult[]> =>
    storage.commit(table, [...inserts, ...operations, ...removals], options);
  // A transient failure is not a refusal: the retry policy sends it again.
  const isOfRemoval = (error: StorageError): boolean =>
    removals.length > 0 &&
    error.applied === "no" &&
    (error.index ?? Number.POSITIVE_INFINITY) >= inserts.length + operations.length &&
    !isTransient(error);
  try {
    const results = await send().catch((error: unknown) => {
      if (!StorageError.is(error) || !isOfRemoval(error)) throw error;
      // Another program has deleted an expired marker: the transaction is sent without these deletes.
      removals = [];
      return send();
    });
    if (outbox === undefined) rememberMarker(retries, table, key);
    return results.slice(inserts.length, results.length - removals.length);
  } catch (error) {
    if (!StorageError.is(error) || error.index === undefined) throw error;
    if (error.index >= inserts.length) throw error.atIndex(error.index - inserts.length);
    const refused = error.atIndex(0);
    throw isMarkerThere(refused) ? refused.asMaybeApplied() : refused;
  }
}

/** The program paused between an announcement and its transaction: the worker has stopped waiting for the row. */
const tooLate = (): StorageError =>
  new StorageError(
    "outbox.too-late",
    "Not sent: more than half an hour has passed since a message was announced. Save again.",
    { applied: "no" },
  );
