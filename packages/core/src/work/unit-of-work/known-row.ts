import { hasSameProperty } from "../../values/edm/same-value.ts";
import { isSystemName, type StoredEntity } from "../../values/edm/stored-entity.ts";
import { restoreStored } from "../../model/codec/snapshot.ts";
import type { Intent, TrackedEntity } from "./tracked-entity.ts";

/** The row of an entity, as far as it is known. */
export type KnownRow = Pick<TrackedEntity, "model" | "key" | "snapshot">;

/**
 * Whether a row still holds all known values of an entity, in any version.
 *
 * @param isCompared - the properties to compare; all when absent
 */
export function isAsKnown(
  { model, key, snapshot }: KnownRow,
  row: StoredEntity,
  isCompared: (name: string) => boolean = () => true,
): boolean {
  if (snapshot === undefined) return false;
  const known = restoreStored(model, key, snapshot);
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
 * Whether the operation on an entity may be sent under the version of a row that was read: another program has not
 * changed the row. To delete or replace a row, all of it must be known.
 */
export const mayWriteOver = (known: KnownRow, row: StoredEntity, { type }: Intent): boolean =>
  (type === "none" || known.snapshot?.isComplete === true) && isAsKnown(known, row);
