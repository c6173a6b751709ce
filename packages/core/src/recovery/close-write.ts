import { isClosedMarker, markerRow } from "../codec/commit-rows.ts";
import type { StorageError } from "../errors/storage-error.ts";
import { conflictReason } from "../storage/conflict-reason.ts";
import type { TableStorage } from "../storage/table-storage.ts";
import { type Retries, withRetry } from "../storage/with-retry.ts";
import { keyOfOperation } from "../storage/write-operation.ts";
import type { ChangeSet, Write } from "../unit-of-work/tracked-entity.ts";

/** What a marker says of its write. */
export type MarkerVerdict = "applied" | "never";

/**
 * Ends the doubt about a write by its marker, without waiting: inserts the marker itself. Where that succeeds, no attempt
 * was carried out, and none can be any more, since its own insert of the marker is refused. Where it is refused, the
 * marker that is there says who was first.
 *
 * @returns undefined when the store did not say
 */
export async function closeWrite(
  storage: TableStorage,
  { table, changes, marker }: Write,
  retries: Retries,
  signal?: AbortSignal,
): Promise<MarkerVerdict | undefined> {
  const options = signal === undefined ? {} : { signal };
  const { partitionKey } = keyOfOperation((changes[0] as ChangeSet).operation);
  const key = { partitionKey, rowKey: marker as string };
  const close = async (): Promise<MarkerVerdict | undefined> => {
    try {
      await storage.write(table, { type: "insert", entity: markerRow(key, "closed") }, options);
      return "never";
    } catch (error) {
      if (conflictReason(error) !== "exists") throw error;
    }
    const row = await storage.get(table, key, { ...options, mayBeStale: false });
    return row && (isClosedMarker(row) ? "never" : "applied");
  };
  try {
    return await withRetry(retries, close, { signal });
  } catch {
    return undefined;
  }
}

/** Whether a transaction was refused since its marker is there already. */
export const isMarkerThere = ({ index, serviceCode }: StorageError): boolean =>
  index === 0 && serviceCode === "EntityAlreadyExists";
