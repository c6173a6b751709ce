import { comparisonOf } from "../codec/compile-comparison.ts";
import type { EntityState, TrackedEntity } from "./tracked-entity.ts";

/** What the entity is to its context now. */
export function stateOf(entry: TrackedEntity, isExplicit: boolean): EntityState {
  switch (entry.intent.type) {
    case "add":
      // Removed and added again: the row is stored, and will be replaced.
      return entry.snapshot === undefined ? "added" : "modified";
    case "upsert":
      return "upsert";
    case "remove":
      return "deleted";
    case "none":
      if (entry.forced !== undefined) return "modified";
      return isExplicit || !isEdited(entry) ? "unchanged" : "modified";
    default:
      return entry.intent satisfies never;
  }
}

/** Whether the owner of an entity that was read has changed anything in it, its key included. */
export function isEdited({ entity, model, snapshot, keyValues }: TrackedEntity): boolean {
  if (snapshot === undefined) return false;
  return comparisonOf(model)(entity as Readonly<Record<string, unknown>>, snapshot.values, keyValues);
}
