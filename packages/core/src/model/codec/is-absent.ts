import type { PropertyModel } from "../declaration/entity-model.ts";

/** Whether there is a value: it is neither undefined nor null. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Whether a property has no value: it is undefined, or null. Of JSON, null is a value. */
export const isAbsent = ({ serializer }: Pick<PropertyModel, "serializer">, value: unknown): boolean =>
  value === undefined ||
  (value === null && serializer.isJson !== true) ||
  serializer.isEmpty?.(value) === true;

/** The same as generated code, over the variable `v` of the property at `i`. */
export function absentTest({ serializer }: Pick<PropertyModel, "serializer">, i: number): string {
  if (serializer.isJson === true) return "v === undefined";
  const isEmpty = serializer.isEmpty === undefined ? "" : ` || s${i}.isEmpty(v)`;
  return `v === undefined || v === null${isEmpty}`;
}
