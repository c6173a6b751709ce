import { codecOf } from "../../model/codec/codec-of.ts";
import { noChanges } from "../../model/codec/comparison.ts";
import type { PropertyChanges } from "../../model/codec/entity-codec.ts";
import type { EntityState, TrackedEntity } from "./tracked-entity.ts";

/** The current state of the entity in its context. */
export function stateOf(entry: TrackedEntity, isExplicit: boolean): EntityState {
  switch (entry.intent.type) {
    case "add":
      // Deleted and added again: the row is stored, and will be replaced.
      return entry.snapshot === undefined ? "added" : "modified";
    case "upsert":
      return "upsert";
    case "remove":
      return "deleted";
    case "none":
      if (entry.explicitlyModified !== undefined || entry.messages.length > 0) return "modified";
      return isExplicit || !isEdited(entry) ? "unchanged" : "modified";
    default:
      return entry.intent satisfies never;
  }
}

/** Whether the program has changed anything in an entity that was read, including its key. */
export const isEdited = (entry: TrackedEntity): boolean => changesOf(entry) !== noChanges;

/** The edits that the program has made to an entity that was read. */
export function changesOf(entry: TrackedEntity): PropertyChanges {
  const { entity, model, snapshot } = entry;
  if (snapshot === undefined) return noChanges;
  const values = entity as Readonly<Record<string, unknown>>;
  return codecOf(model).changes(values, snapshot.values, entry) ?? noChanges;
}
