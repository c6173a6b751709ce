import type { PropertyModel } from "../declaration/entity-model.ts";

/** Whether a property has no value: it is undefined, or null. Of JSON, null is a value. */
export const isAbsent = ({ serializer }: Pick<PropertyModel, "serializer">, value: unknown): boolean =>
  value === undefined || (value === null && serializer.isJson !== true);

/** The same as generated code, over the variable `v`. */
export const absentTest = ({ serializer }: Pick<PropertyModel, "serializer">): string =>
  serializer.isJson === true ? "v === undefined" : "v === undefined || v === null";
