import { isBase64 } from "../../../edm/binary.ts";
import { parseDateTime } from "../../../edm/date-time-text.ts";
import { doubleSerializer, parseDouble, storedDouble } from "../../../edm/double.ts";
import { isGuid } from "../../../filter/filter-tokens.ts";
import { isInt64Text } from "../../../edm/int64.ts";
import { setMember, type StoredEntityDraft, type StoredValue } from "../../../edm/stored-entity.ts";
import { annotationOf } from "../../../edm/stored-entity.ts";

/** A value in stored form, with the annotation that it needs there. */
export interface TypedValue {
  readonly value: StoredValue;
  readonly annotation?: string;
}

/**
 * Reads a value that came with the name of its EDM type, as text or in its JSON form, into stored form; undefined when
 * it is not of that type, or there is no such type.
 */
export function typedValue(value: unknown, edm: string): TypedValue | undefined {
  switch (edm) {
    case "Edm.String":
      return typeof value === "string" ? { value } : undefined;
    case "Edm.Boolean":
      return booleanOf(value);
    case "Edm.Int32": {
      const number = typeof value === "string" && /^[+-]?\d{1,11}$/.test(value) ? Number(value) : value;
      return typeof number === "number" && (number | 0) === number ? { value: number | 0 } : undefined;
    }
    case "Edm.Int64": {
      const text = Number.isSafeInteger(value) ? String(value) : value;
      return typeof text === "string" && isInt64Text(text) ? { value: text, annotation: edm } : undefined;
    }
    case "Edm.Double":
      return doubleOf(value);
    case "Edm.DateTime":
      return dateTimeOf(value);
    case "Edm.Guid":
      return isGuid(value) ? { value, annotation: edm } : undefined;
    case "Edm.Binary":
      return typeof value === "string" && isBase64(value) ? { value, annotation: edm } : undefined;
    default:
      return undefined;
  }
}

/** A time without a zone is of UTC. */
function dateTimeOf(value: unknown): TypedValue | undefined {
  if (typeof value !== "string" || parseDateTime(value) === undefined) return undefined;
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(value);
  return { value: hasZone ? value : `${value}Z`, annotation: "Edm.DateTime" };
}

function booleanOf(value: unknown): TypedValue | undefined {
  if (typeof value === "boolean") return { value };
  const text = typeof value === "string" ? value.toLowerCase() : "";
  if (text === "true" || text === "1") return { value: true };
  return text === "false" || text === "0" ? { value: false } : undefined;
}

/** Whole numbers, specials and minus zero say their type; JSON has no form for the last two, and 1e999 is no number. */
function doubleOf(value: unknown): TypedValue | undefined {
  const number = typeof value === "string" || typeof value === "number" ? parseDouble(value) : undefined;
  if (number === undefined) return undefined;
  const stored = storedDouble(number);
  return doubleSerializer.isAnnotated(stored)
    ? { value: stored, annotation: "Edm.Double" }
    : { value: stored };
}

/** Sets a property of an entity with its annotation. */
export function setTyped(draft: StoredEntityDraft, name: string, { value, annotation }: TypedValue): void {
  if (annotation !== undefined) draft[annotationOf(name)] = annotation;
  setMember(draft, name, value);
}
