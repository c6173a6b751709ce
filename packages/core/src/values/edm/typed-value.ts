import { doubleType } from "./double.ts";
import type { EdmForms } from "./edm-forms.ts";
import { findEdmType } from "./edm-types.ts";
import { int32Type, isInt32 } from "./int32.ts";
import { annotationOf, setMember, type StoredEntityDraft, type StoredValue } from "./stored-entity.ts";
import { stringType } from "./string.ts";

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
  const forms = findEdmType(edm);
  return forms && typedBy(forms, value);
}

function typedBy(forms: EdmForms, value: unknown): TypedValue | undefined {
  const stored = forms.parse(value);
  if (stored === undefined) return undefined;
  return forms.isAnnotated(stored) ? { value: stored, annotation: forms.edm } : { value: stored };
}

/**
 * Reads a value of JSON that came without a type: text, a boolean, or a number, which is an Int32 where it is written as one
 * and fits; every other number is a Double. Undefined for anything else, and for numbers that no Double is.
 *
 * @param source - the number as it is written
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

/** Whether a value is within the range of its type: no time before 1601 is stored, though filters may name one. */
export const isInRange = ({ value, annotation }: TypedValue): boolean =>
  annotation === undefined || findEdmType(annotation)?.isInRange?.(value) !== false;

/** Sets a property of an entity with its annotation. */
export function setTyped(draft: StoredEntityDraft, name: string, { value, annotation }: TypedValue): void {
  if (annotation !== undefined) draft[annotationOf(name)] = annotation;
  setMember(draft, name, value);
}
