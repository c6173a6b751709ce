import type { StoredEntity } from "../edm/stored-entity.ts";
import { writeHistoryProperty, writeIdProperty } from "../model/entity-model.ts";
import type { ChangeSet, TrackedEntity } from "./tracked-entity.ts";

/** 96 random bits, as 16 characters. */
export const newWriteId = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("base64url");

/** How many writes before the last one a row remembers. */
const remembered = 8;

/**
 * The change with the save's id in its row, where the table asks for it, and with those of the writes before it: they are
 * known for certain only of the very version that the write is conditional on.
 */
export function withWriteId(change: ChangeSet, id: string): ChangeSet {
  const { operation, entry } = change;
  if (!entry.model.options.writeId || operation.type === "delete") return change;
  const { trail } = entry;
  const isKnown = "etag" in operation && trail?.etag === operation.etag;
  const history = isKnown ? trail.ids.slice(0, remembered).join(" ") : "";
  const isMerge = operation.type === "merge" || operation.type === "upsert-merge";
  const entity = {
    ...operation.entity,
    [writeIdProperty]: id,
    // What a merge does not name would stay, and tell of another version.
    ...((isMerge || history !== "") && { [writeHistoryProperty]: history }),
  };
  return { ...change, operation: { ...operation, entity } };
}

/** The ids of the writes that made a row what it is, the latest first. */
export function writeIdsOf(row: StoredEntity): readonly string[] {
  const [id, history] = [row[writeIdProperty], row[writeHistoryProperty]];
  if (typeof id !== "string") return [];
  return typeof history === "string" && history !== "" ? [id, ...history.split(" ")] : [id];
}

/** Remembers which writes made the version of an entity that was just read or written. */
export function noteTrail(entry: TrackedEntity, row: StoredEntity, etag: string | undefined): void {
  if (!entry.model.options.writeId) return;
  entry.trail = etag === undefined ? undefined : { etag, ids: writeIdsOf(row) };
}
