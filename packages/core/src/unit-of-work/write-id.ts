import { identifiedWrite } from "../codec/encoded-write.ts";
import { firstIds, hasWriteIds, writeHistoryOf, type WriteIds } from "../codec/row-layout.ts";
import type { ChangeSet, TrackedEntity } from "./tracked-entity.ts";

/** 96 random bits, as 16 characters. */
export function newWriteId(): string {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  return random.toString("base64url", used, (used += idBytes));
}

const idBytes = 12;
/** Random bytes for many ids: to ask for those of one takes longer than all the rest of it. */
const random = Buffer.alloc(64 * idBytes);
let used = random.length;

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
  const earlier = isKnown ? firstIds(writeHistory.ids, remembered) : "";
  const { unconditional } = change;
  const marked = { ...change, operation: identifiedWrite(operation, id, earlier) };
  // Under another version, it is sent with the same id.
  if (unconditional === undefined || unconditional.type === "delete") return marked;
  return { ...marked, unconditional: identifiedWrite(unconditional, id, "") };
}

/** Remembers which writes made the version of an entity that was just read or written. */
export function noteWriteHistory(
  entry: TrackedEntity,
  row: WriteIds | undefined,
  etag: string | undefined,
): void {
  if (!hasWriteIds(entry.model)) return;
  entry.writeHistory =
    etag === undefined || row === undefined ? undefined : { etag, ids: writeHistoryOf(row) };
}
