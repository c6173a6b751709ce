import { type PropertyPath, SerializationError } from "../errors/serialization-error.ts";
import { type EdmType, edmTypeOf, type StoredValue } from "./stored-entity.ts";

/**
 * Converts one host type to one EDM type and back.
 *
 * Laws: `decode(encode(v))` equals `v`; `isUnchanged(encode(v), v)` is true; nothing is lost on the way.
 */
export interface Serializer<Value> {
  /** How messages call it: `Int64`. */
  readonly name: string;
  readonly edm: EdmType;

  /** Whether the stored form is the host value itself, so that `===` tells that nothing changed. */
  readonly isVerbatim: boolean;

  /** @throws SerializationError when the value is not one of this type, or outside its range. */
  encode(value: Value, path: PropertyPath): StoredValue;

  /** Whether this encoded value needs its `@odata.type` beside it. */
  isAnnotated(stored: StoredValue): boolean;

  /** Bytes of the value as the service counts them for an entity's size, its name not included. */
  sizeOf(stored: StoredValue): number;

  /** @throws SerializationError `edm.mismatch` when the stored value has another EDM type. */
  decode(stored: StoredValue, annotation: StoredValue | undefined, path: PropertyPath): Value;

  /** Whether `value` still is what `stored` says, compared decoded; never throws. */
  isUnchanged(stored: StoredValue, value: Value): boolean;
}

/** The error for a stored value of another EDM type than the serializer's. */
export function mismatch(
  serializer: { readonly edm: EdmType },
  stored: StoredValue,
  annotation: StoredValue | undefined,
  path: PropertyPath,
): SerializationError {
  return SerializationError.mismatch(path, serializer.edm, edmTypeOf(stored, annotation));
}

/** Size of text: two bytes a UTF-16 unit, and four for its length. */
export const sizeOfText = (stored: StoredValue): number => 2 * (stored as string).length + 4;
