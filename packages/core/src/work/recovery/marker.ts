import { isClosedMarker, markerRow } from "../../model/codec/commit-rows.ts";
import type { StorageError } from "../../values/errors/storage-error.ts";
import { markerPrefix } from "../../model/declaration/entity-model.ts";
import { conflictReason } from "../../storage/conflict-reason.ts";
import type { TableStorage } from "../../storage/table-storage.ts";
import { type Retries, withRetry } from "../../storage/with-retry.ts";
import { keyOfOperation } from "../../storage/write-operation.ts";
import { type ChangeSet, needsMarker } from "../unit-of-work/tracked-entity.ts";
import type { Write } from "./attempt.ts";

const idBytes = 12;
/** Random bytes for many keys, since requesting them for each key takes longer than the rest. */
const random = Buffer.alloc(64 * idBytes);
let used = random.length;

/** The RowKey of a new marker: 96 random bits, as 16 characters. */
export function newMarkerKey(): string {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  return markerPrefix + random.toString("base64url", used, (used += idBytes));
}

/** Gives writes a marker if their table is declared with it. A write with messages uses its first message instead. */
export const identifyWrites = (writes: readonly Write[]): Write[] =>
  writes.map((write) => {
    const [message] = write.outbox ?? [];
    if (message !== undefined) return { ...write, marker: message.row.RowKey };
    return needsMarker(write.changes) ? { ...write, marker: newMarkerKey() } : write;
  });

/**
 * Finds out the outcome of a write by its marker, without waiting: it inserts the marker itself. If that succeeds, no
 * request was applied, and none can be later, since its own insert of the marker is refused. If the insert is refused,
 * the existing marker shows which request was first.
 *
 * @returns undefined if storage gave no definite response
 */
export async function closeMarker(
  storage: TableStorage,
  { table, changes, marker }: Write,
  retries: Retries,
  signal?: AbortSignal,
): Promise<"applied" | "never" | undefined> {
  const options = signal === undefined ? {} : { signal };
  const { partitionKey } = keyOfOperation((changes[0] as ChangeSet).operation);
  const key = { partitionKey, rowKey: marker as string };
  const close = async (): Promise<"applied" | "never" | undefined> => {
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

/** Whether a transaction was refused because its marker already exists. */
export const isMarkerThere = ({ index, serviceCode }: StorageError): boolean =>
  index === 0 && serviceCode === "EntityAlreadyExists";
