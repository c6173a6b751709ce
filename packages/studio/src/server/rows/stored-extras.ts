import type { StoredEntity } from "@partita/core/storage";
import type { StoredExtras } from "../../api/cells.ts";
import type { StudioCore } from "../core.ts";
import type { KnownClass } from "../tables/describe-class.ts";

/** The data of a stored row that a form of its class does not show. Undefined if there is none. */
export function storedExtras(
  { isSystemName }: StudioCore,
  { model: { version, options, properties } }: KnownClass,
  row: StoredEntity,
): StoredExtras | undefined {
  if (version !== undefined) {
    // Rows from before the first version have no number.
    const stored = Number(row[version.storedName] ?? 1);
    // An older version may use other names.
    if (stored !== version.number) return { version: { stored, saved: version.number }, undeclared: [] };
  }
  const declared = new Set(properties.map(({ storedName }) => storedName));
  const isKnown = (name: string): boolean =>
    isSystemName(name) || declared.has(name) || name === options.kindProperty || name === version?.storedName;
  const undeclared = Object.keys(row).filter((name) => !isKnown(name));
  return undeclared.length === 0 ? undefined : { undeclared };
}
