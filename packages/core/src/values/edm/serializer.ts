import { type PropertyPath, SerializationError } from "../errors/serialization-error.ts";
import type { EdmForms } from "./edm-forms.ts";
import type { ValueCode } from "./value-code.ts";
import { type EdmType, edmTypeOf, type StoredValue } from "./stored-entity.ts";

/**
 * Converts one host type to one EDM type and back.
 *
 * Laws: `decode(encode(v))` equals `v`; for what is kept of a read value, `isUnchanged(keep(s, v), v)` is true and
 * `restore(keep(s, v))` means what `s` means; nothing is lost on the way.
 */
export interface Serializer<Value> extends EdmForms {
  /** How messages call it: `Int64`. */
  readonly name: string;
  /** Whether its values are JSON data, stored as text. */
  readonly isJson?: true;
  /** All values there are, of an enumeration. */
  readonly values?: readonly string[];
  /** Whether a user's converter makes its values: which key formats take them is not known. */
  readonly isConverted?: true;
  /** Whether a value is stored as none, although it is neither undefined nor null. */
  isEmpty?(value: unknown): boolean;
  /** What conditions compare, where it is less than what the stored form allows. */
  readonly comparison?: "ordered" | "equality" | "none";
  /** What plain data has of a value, where it is not the stored form. */
  readonly plain?: {
    print(stored: StoredValue): string;
    /** The stored form; undefined for any other value. */
    parse(value: unknown): StoredValue | undefined;
  };
  /** Which key formats hold its values, for messages. */
  readonly keyAdvice?: string;
  /** A value, as entities may have it. */
  readonly sample?: unknown;
  /** The least and the greatest stored value that a constant of a condition means; undefined where it means one only. */
  rangeOf?(value: unknown): readonly [least: StoredValue, greatest: StoredValue] | undefined;

  /** How generated code reads and writes its usual values; without it, code calls the functions. */
  readonly code?: ValueCode | undefined;

  /** @throws SerializationError when the value is not one of this type, or outside its range. */
  encode(value: Value, path: PropertyPath): StoredValue;

  /** The size of a snapshot value, where it is not that of the stored one. */
  sizeOfSnapshotValue?(snapshotValue: SnapshotValue): number;

  /** @throws SerializationError `edm.mismatch` when the stored value has another EDM type. */
  decode(stored: StoredValue, annotation: StoredValue | undefined, path: PropertyPath): Value;

  /**
   * How a snapshot holds values. `value`: as they are, so that `===` shows that nothing changed; `number`: the same,
   * zero excepted, whose sign counts; `stored`: in a form of its own.
   */
  readonly keeping: "value" | "number" | "stored";

  /**
   * What a snapshot holds of a stored value and its decoded form, which later values are compared with: the host value
   * itself where it cannot be changed in place, else the least that shows a change and gives the stored value back.
   */
  keep(stored: StoredValue, value: Value, annotation?: StoredValue): SnapshotValue;

  /** Whether `value` still is what was kept, compared decoded; never throws. */
  isUnchanged(snapshotValue: SnapshotValue, value: Value): boolean;

  /** The stored value again, in every digit. */
  restore(snapshotValue: SnapshotValue, path: PropertyPath): StoredValue;
}

/** One value in a snapshot; its serializer alone understands it. */
export type SnapshotValue = unknown;

/** How values are kept that nobody can change in place: as they are, sharing their memory with the entity. */
export const snapshotAsValue = {
  keeping: "value" as const,
  keep: (_stored: StoredValue, value: unknown): SnapshotValue => value,
  isUnchanged: (snapshotValue: SnapshotValue, value: unknown): boolean => snapshotValue === value,
};

/** How values are kept that can be changed in place: in stored form. */
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

/** The name of a stored value's type, never more of what was read: it may be anything. */
function storedType(stored: unknown, annotation: unknown): string {
  const isPlain = typeof stored === "string" || typeof stored === "number" || typeof stored === "boolean";
  if (!isPlain) return "no plain value";
  const edm: string = edmTypeOf(stored, annotation as StoredValue | undefined);
  return typeof edm === "string" && /^Edm\.[A-Z][A-Za-z0-9]{1,20}$/.test(edm) ? edm : "of no EDM type";
}

/** A serializer of whatever type, where the value was checked elsewhere. */
// oxlint-disable-next-line typescript/no-explicit-any -- any value type
export type AnySerializer = Serializer<any>;
