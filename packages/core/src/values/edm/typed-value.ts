import { doubleType } from "./double.ts";
import type { EdmForms } from "./edm-forms.ts";
import { findEdmType } from "./edm-types.ts";
import { int32Type, isInt32 } from "./int32.ts";
import { annotationOf, setMember, type StoredEntityDraft, type StoredValue } from "./stored-entity.ts";
import { stringType } from "./string.ts";

/*
 * The only grammar of values: request bodies, Atom, imported files, the studio, filters and stores read values here. A
 * form is accepted everywhere or nowhere, and always stored as the same text.
 */

/** A value in stored form, with its annotation if it needs one. */
export interface TypedValue {
  readonly value: StoredValue;
  readonly annotation?: string;
}

/**
 * Converts a value with a named EDM type, as text or in its JSON form, to stored form: GUIDs in lower case, times in
 * UTC with a Z, Int64 without leading zeros. Undefined if it is not of that type, or the type does not exist.
 */
export function typedValue(value: unknown, edm: string): TypedValue | undefined {
  const forms = findEdmType(edm);
  return forms && typedBy(forms, value);
}

function typedBy(forms: EdmForms, value: unknown): TypedValue | undefined {
  const stored = forms.parse(value);
  if (stored === undefined) return undefined;
  return forms.isAnnotated(stored) ? { value: stored, annotation: forms.edm } : { value: stored };
}

/**
 * Converts a JSON value without a type: text, a boolean, or a number. A number is an Int32 if it is written as one and
 * fits, otherwise a Double. Undefined for any other value, and for numbers beyond Double.
 *
 * @param source - the source text of the number
 */
export function untypedValue(value: unknown, source: string): TypedValue | undefined {
  switch (typeof value) {
    case "number":
      return typedBy(/[.eE]/.test(source) || !isInt32(value) ? doubleType : int32Type, value);
    case "string":
      return typedBy(stringType, value);
    default:
      return typeof value === "boolean" ? { value } : undefined;
  }
}

/** Whether a value is in the range of its type: no time before 1601 can be stored, though filters accept it. */
export const isInRange = ({ value, annotation }: TypedValue): boolean =>
  annotation === undefined || findEdmType(annotation)?.isInRange?.(value) !== false;

/** Sets a property of an entity with its annotation. */
export function setTyped(draft: StoredEntityDraft, name: string, { value, annotation }: TypedValue): void {
  if (annotation !== undefined) draft[annotationOf(name)] = annotation;
  setMember(draft, name, value);
}
