import { isBase64 } from "./binary.ts";
import { parseBoolean } from "./boolean.ts";
import { storedDateTime } from "./date-time-text.ts";
import { doubleSerializer, parseDouble, storedDouble } from "./double.ts";
import { storedGuid } from "./guid.ts";
import { isInt32, parseInt32 } from "./int32.ts";
import { parseInt64 } from "./int64.ts";
import { annotationOf, setMember, type StoredEntityDraft, type StoredValue } from "./stored-entity.ts";

/*
 * The one grammar of values: request bodies, Atom, files to import, the studio, filters and stores read values here, so each
 * form is accepted everywhere or nowhere, and is stored as one text.
 */

/** A value in stored form, with the annotation that it needs there. */
export interface TypedValue {
  readonly value: StoredValue;
  readonly annotation?: string;
}

/**
 * Reads a value that came with the name of its EDM type, as text or in its JSON form, into stored form: Guids in lower case,
 * times in UTC with a Z, Int64 without zeros before it. Undefined when it is not of that type, or there is no such type.
 */
export function typedValue(value: unknown, edm: string): TypedValue | undefined {
  switch (edm) {
    case "Edm.String":
      return typeof value === "string" && value.isWellFormed() ? { value } : undefined;
    case "Edm.Boolean":
      return booleanOf(typeof value === "string" ? parseBoolean(value) : value);
    case "Edm.Int32":
      return int32Of(typeof value === "string" ? parseInt32(value) : value);
    case "Edm.Int64":
      return annotated(parseInt64(Number.isSafeInteger(value) ? String(value) : textOf(value)), edm);
    case "Edm.Double":
      return doubleOf(value);
    case "Edm.DateTime":
      return annotated(storedDateTime(textOf(value)), edm);
    case "Edm.Guid":
      return annotated(storedGuid(textOf(value)), edm);
    case "Edm.Binary":
      return typeof value === "string" && isBase64(value) ? { value, annotation: edm } : undefined;
    default:
      return undefined;
  }
}

/**
 * Reads a value of JSON that came without a type: text, a boolean, or a number, which is an Int32 where it is written as one
 * and fits; every other number is a Double. Undefined for anything else, and for numbers that no Double is.
 *
 * @param source - the number as it is written
 */
export function untypedValue(value: unknown, source: string): TypedValue | undefined {
  if (typeof value === "number")
    return /[.eE]/.test(source) || !isInt32(value) ? doubleOf(value) : int32Of(value);
  return typeof value === "string" ? typedValue(value, "Edm.String") : booleanOf(value);
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const booleanOf = (value: unknown): TypedValue | undefined =>
  typeof value === "boolean" ? { value } : undefined;

const annotated = (value: string | bigint | undefined, annotation: string): TypedValue | undefined =>
  value === undefined ? undefined : { value: String(value), annotation };

/** JSON may have -0, which Int32 does not. */
const int32Of = (value: unknown): TypedValue | undefined =>
  typeof value === "number" && isInt32(value) ? { value: value + 0 } : undefined;

/** Whole numbers, specials and minus zero say their type; JSON has no form for the last two, and 1e999 is no number. */
function doubleOf(value: unknown): TypedValue | undefined {
  const number = typeof value === "string" || typeof value === "number" ? parseDouble(value) : undefined;
  if (number === undefined) return undefined;
  const stored = storedDouble(number);
  return doubleSerializer.isAnnotated(stored)
    ? { value: stored, annotation: "Edm.Double" }
    : { value: stored };
}

/** Whether a value is within the range of its type: no time before 1601 is stored, though filters may name one. */
export const isInRange = ({ value, annotation }: TypedValue): boolean =>
  annotation !== "Edm.DateTime" || (value as string) >= "1601";

/** Sets a property of an entity with its annotation. */
export function setTyped(draft: StoredEntityDraft, name: string, { value, annotation }: TypedValue): void {
  if (annotation !== undefined) draft[annotationOf(name)] = annotation;
  setMember(draft, name, value);
}
