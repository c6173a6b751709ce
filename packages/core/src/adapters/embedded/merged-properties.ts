import {
  annotationOf,
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../edm/stored-entity.ts";
import type { UserProperties } from "../../storage/check-write.ts";

/**
 * The properties of a stored row once others were merged into it. Each keeps its place, and its annotation stands before
 * it, as in a row that was written whole: who passes the bytes on need not look for it.
 */
export function mergedProperties(
  stored: StoredEntity | UserProperties,
  written: UserProperties,
): UserProperties {
  const merged = {} as StoredEntityDraft;
  // The type changes with the value: an annotation of the old one does not stay behind.
  for (const name in stored) put(merged, name, Object.hasOwn(written, name) ? written : stored);
  for (const name in written) if (!Object.hasOwn(stored, name)) put(merged, name, written);
  return merged;
}

function put(merged: StoredEntityDraft, name: string, from: StoredEntity | UserProperties): void {
  if (isSystemName(name)) return;
  const annotation = annotationOf(name);
  if (from[annotation] !== undefined) merged[annotation] = from[annotation];
  setMember(merged, name, from[name]);
}
