import { hasSameProperty } from "../../values/edm/same-value.ts";
import { isSystemName, type StoredEntity } from "../../values/edm/stored-entity.ts";
import { codecOf } from "../../model/codec/codec-of.ts";
import type { Intent, TrackedEntity } from "./tracked-entity.ts";

/** A row as it is known of an entity. */
export type KnownRow = Pick<TrackedEntity, "model" | "key" | "snapshot">;

/**
 * Whether a row still holds everything that is known of an entity, whatever its version.
 *
 * @param isCompared - of which properties this is asked; of all when absent
 */
export function isAsKnown(
  { model, key, snapshot }: KnownRow,
  row: StoredEntity,
  isCompared: (name: string) => boolean = () => true,
): boolean {
  if (snapshot === undefined) return false;
  const known = codecOf(model).restore(key, snapshot);
  const names = snapshot.isComplete
    ? new Set([...Object.keys(known), ...Object.keys(row)])
    : Object.keys(known);
  for (const name of names) {
    const isKnown = (snapshot.isComplete || known[name] !== undefined) && isCompared(name);
    if (isKnown && !isSystemName(name) && !hasSameProperty(known, row, name)) return false;
  }
  return true;
}

/**
 * Whether what is to be done with an entity may be done under the version of a row that was read: another program has not
 * changed it. To delete or replace a row, all of it must be known.
 */
export const mayWriteOver = (known: KnownRow, row: StoredEntity, { type }: Intent): boolean =>
  (type === "none" || known.snapshot?.isComplete === true) && isAsKnown(known, row);
