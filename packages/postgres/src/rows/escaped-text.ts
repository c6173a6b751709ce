import type { StoredEntityDraft } from "@partita/core/internal";
import { setMember, type UserProperties } from "@partita/core/internal/sql";

/**
 * The end of the name of a member that marks a text as escaped: jsonb cannot hold U+0000, so such a text is stored with
 * `\0` for it and `\\` for a backslash.
 */
export const escapedMark = "@partita.escaped";

/** The properties in a form that jsonb can hold; the same object if no text contains U+0000. */
export function escapeTexts(properties: UserProperties): UserProperties {
  if (!Object.values(properties).some(hasNul)) return properties;
  const escaped = {} as StoredEntityDraft;
  for (const [name, value] of Object.entries(properties)) {
    if (hasNul(value)) {
      escaped[name + escapedMark] = true;
      setMember(escaped, name, value.replaceAll("\\", "\\\\").replaceAll("\0", "\\0"));
    } else setMember(escaped, name, value);
  }
  return escaped;
}

/** Restores escaped texts in a stored row. */
export function unescapeTexts(row: StoredEntityDraft): void {
  for (const member of Object.keys(row)) {
    if (!member.endsWith(escapedMark)) continue;
    const name = member.slice(0, -escapedMark.length);
    const text = row[name] as string;
    setMember(
      row,
      name,
      text.replace(/\\[\\0]/g, (pair) => (pair === "\\0" ? "\0" : "\\")),
    );
    delete row[member];
  }
}

const hasNul = (value: unknown): value is string => typeof value === "string" && value.includes("\0");
