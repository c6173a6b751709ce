import { hasWriteIds, withWriteIds, type WriteIds, writeIdsOf } from "../codec/row-layout.ts";
import { isMerge } from "../storage/write-operation.ts";
import type { ChangeSet, TrackedEntity } from "./tracked-entity.ts";

/** 96 random bits, as 16 characters. */
export const newWriteId = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("base64url");

/** How many writes before the last one a row remembers. */
const remembered = 8;

/**
 * The change with the save's id in its row, in a table that asks for it, and with those of the writes before it: they are
 * known for certain only of the very version that the write is conditional on.
 */
export function withWriteId(change: ChangeSet, id: string): ChangeSet {
  const { operation, entry } = change;
  if (operation.type === "delete") return change;
  const { writeHistory } = entry;
  const isKnown = "etag" in operation && writeHistory?.etag === operation.etag;
  const earlier = isKnown ? writeHistory.ids.slice(0, remembered) : [];
  const entity = withWriteIds(operation.entity, id, earlier, isMerge(operation));
  const { unconditional } = change;
  const marked = { ...change, operation: { ...operation, entity } };
  // Under another version, it is sent with the same id.
  if (unconditional === undefined || unconditional.type === "delete") return marked;
  const again = withWriteIds(unconditional.entity, id, [], isMerge(unconditional));
  return { ...marked, unconditional: { ...unconditional, entity: again } };
}

/** Remembers which writes made the version of an entity that was just read or written. */
export function noteWriteHistory(
  entry: TrackedEntity,
  row: WriteIds | undefined,
  etag: string | undefined,
): void {
  if (!hasWriteIds(entry.model)) return;
  entry.writeHistory = etag === undefined || row === undefined ? undefined : { etag, ids: writeIdsOf(row) };
}
