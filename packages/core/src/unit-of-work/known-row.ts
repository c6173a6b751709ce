import { hasSameProperty } from "../edm/same-value.ts";
import { isSystemName, type StoredEntity } from "../edm/stored-entity.ts";
import { codecOf } from "../codec/codec-of.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/**
 * Whether a row still holds everything that is known of an entity, whatever its version.
 *
 * @param isCompared - of which properties this is asked; of all when absent
 */
export function isAsKnown(
  { model, key, snapshot }: Pick<TrackedEntity, "model" | "key" | "snapshot">,
  row: StoredEntity,
  isCompared: (name: string) => boolean = () => true,
): boolean {
  if (snapshot === undefined) return false;
  const known = codecOf(model).restore(key, snapshot);
  const names = snapshot.isWhole ? new Set([...Object.keys(known), ...Object.keys(row)]) : Object.keys(known);
  for (const name of names) {
    const isKnown = (snapshot.isWhole || known[name] !== undefined) && isCompared(name);
    if (isKnown && !isSystemName(name) && !hasSameProperty(known, row, name)) return false;
  }
  return true;
}
