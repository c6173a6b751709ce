import { type PropertyPath, SerializationError } from "../errors/serialization-error.ts";
import type { EdmForms } from "./edm-forms.ts";
import type { ValueCode } from "./value-code.ts";
import { type EdmType, edmTypeOf, type StoredValue } from "./stored-entity.ts";

/**
 * Converts one host type to one EDM type and back.
 *
 * Laws: `decode(encode(v))` equals `v`. For the snapshot value of a value that was read, `isUnchanged(keep(s, v), v)`
 * is true and `restore(keep(s, v))` means the same as `s`, without loss.
 */
export interface Serializer<Value> extends EdmForms {
  /** Its name in messages: `Int64`. */
  readonly name: string;
  /** Whether its values are JSON data, stored as text. */
  readonly isJson?: true;
  /** All possible values of an enumeration. */
  readonly values?: readonly string[];
  /** Whether a user's converter produces its values, so it is unknown which key formats accept them. */
  readonly isConverted?: true;
  /** Whether a value is stored as absent although it is neither undefined nor null. */
  isEmpty?(value: unknown): boolean;
  /** The comparisons that conditions support, if they are fewer than the stored form allows. */
  readonly comparison?: "ordered" | "equality" | "none";
  /** The form in plain data, if it is not the stored form. */
  readonly plain?: {
    print(stored: StoredValue): string;
    /** The stored form; undefined for any other value. */
    parse(value: unknown): StoredValue | undefined;
  };
  /** The key formats that accept its values, for messages. */
  readonly keyAdvice?: string;
  /** An example value. */
  readonly sample?: unknown;
  /**
   * The smallest and the greatest stored value that a constant in a condition covers; undefined if it covers only one.
   */
  rangeOf?(value: unknown): readonly [least: StoredValue, greatest: StoredValue] | undefined;

  /** How generated code reads and writes the usual values; without it, generated code calls the functions. */
  readonly code?: ValueCode | undefined;

  /** @throws SerializationError if the value is not of this type, or outside its range. */
  encode(value: Value, path: PropertyPath): StoredValue;

  /** The size of a snapshot value, if it differs from the size of the stored value. */
  sizeOfSnapshotValue?(snapshotValue: SnapshotValue): number;

  /** @throws SerializationError `edm.mismatch` if the stored value has another EDM type. */
  decode(stored: StoredValue, annotation: StoredValue | undefined, path: PropertyPath): Value;

  /**
   * How a snapshot holds values. `value`: unchanged, so `===` shows whether they changed. `number`: the same, but the
   * sign of zero counts. `stored`: in another form.
   */
  readonly keeping: "value" | "number" | "stored";

  /**
   * The snapshot value of a stored value and its decoded form, which later values are compared with. It is the host
   * value itself if that cannot be changed in place, otherwise the smallest form that shows a change and restores the
   * stored value.
   */
  keep(stored: StoredValue, value: Value, annotation?: StoredValue): SnapshotValue;

  /** Whether `value` still is the snapshot value, compared decoded; never throws. */
  isUnchanged(snapshotValue: SnapshotValue, value: Value): boolean;

  /** Restores the stored value with all of its digits. */
  restore(snapshotValue: SnapshotValue, path: PropertyPath): StoredValue;
}

/** One value in a snapshot; only its serializer understands it. */
export type SnapshotValue = unknown;

/** Snapshot values that cannot be changed in place: the host values themselves, which share memory with the entity. */
export const snapshotAsValue = {
  keeping: "value" as const,
  keep: (_stored: StoredValue, value: unknown): SnapshotValue => value,
  isUnchanged: (snapshotValue: SnapshotValue, value: unknown): boolean => snapshotValue === value,
};

/** Snapshot values of types that can be changed in place: the stored form. */
export const snapshotAsStored = {
  keeping: "stored" as const,
  keep: (stored: StoredValue): SnapshotValue => stored,
  restore: (snapshotValue: SnapshotValue): StoredValue => snapshotValue as StoredValue,
};

/** The error for a stored value of another EDM type than the serializer's. */
export function mismatch(
  serializer: { readonly edm: EdmType },
  stored: StoredValue,
  annotation: StoredValue | undefined,
  path: PropertyPath,
): SerializationError {
  return SerializationError.mismatch(path, serializer.edm, storedType(stored, annotation));
}

/** The name of a stored value's type. It never shows the value, which may be anything. */
function storedType(stored: unknown, annotation: unknown): string {
  const isPlain = typeof stored === "string" || typeof stored === "number" || typeof stored === "boolean";
  if (!isPlain) return "no plain value";
  const edm: string = edmTypeOf(stored, annotation as StoredValue | undefined);
  return typeof edm === "string" && /^Edm\.[A-Z][A-Za-z0-9]{1,20}$/.test(edm) ? edm : "of no EDM type";
}

/** A serializer of any type; the value was checked elsewhere. */
// oxlint-disable-next-line typescript/no-explicit-any -- any value type
export type AnySerializer = Serializer<any>;
