import { binaryType } from "./binary.ts";
import { booleanType } from "./boolean.ts";
import { dateTimeType } from "./date-time.ts";
import { doubleType } from "./double.ts";
import type { EdmForms } from "./edm-forms.ts";
import { guidType } from "./guid.ts";
import { int32Type } from "./int32.ts";
import { int64Type } from "./int64.ts";
import { type EdmType, edmTypeOf, type StoredValue } from "./stored-entity.ts";
import { stringType } from "./string.ts";

/** The types of the service, each with all of its forms. */
export const edmTypes: readonly EdmForms[] = [
  stringType,
  int32Type,
  int64Type,
  doubleType,
  booleanType,
  dateTimeType,
  guidType,
  binaryType,
];

const byName: ReadonlyMap<string, EdmForms> = new Map(edmTypes.map((type) => [type.edm, type]));

/** The forms of a type; undefined for an unknown name. */
export const findEdmType = (name: string): EdmForms | undefined => byName.get(name);

/** The forms of a type. */
export const formsOf = (edm: EdmType): EdmForms => byName.get(edm) as EdmForms;

/** The bytes that the service counts for a stored value. */
export const sizeOfStored = (value: StoredValue, annotation: StoredValue | undefined): number =>
  (findEdmType(edmTypeOf(value, annotation)) ?? stringType).sizeOf(value);

/** The same result for equal values of a type, as the service compares them. */
export const canonicalValue = (edm: string, value: StoredValue): StoredValue =>
  findEdmType(edm)?.canonical(value) ?? value;
