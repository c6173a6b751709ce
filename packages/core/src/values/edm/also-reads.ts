import { type PropertyPath, SerializationError } from "../errors/serialization-error.ts";
import { isInt64Text } from "./int64.ts";
import { SnapshotForm } from "./snapshot-form.ts";
import type { SnapshotValue, Serializer } from "./serializer.ts";
import { type EdmType, edmTypeOf, type StoredValue } from "./stored-entity.ts";

/**
 * A serializer that also reads values stored as other EDM types, for example by older programs or other clients. It
 * only writes its own type.
 *
 * @throws SerializationError on read, if the value does not fit the declared type (`2.5` as Int32)
 */
export function alsoReads<Value>(
  serializer: Serializer<Value>,
  types: readonly EdmType[],
): Serializer<Value> {
  const accepted = new Set<EdmType>(types);
  /**
   * Text and Doubles have the meaning of plain data: `"12.50"`. Integers are the stored form. The target's own decoder
   * refuses values that do not fit.
   */
  const reinterpret = (stored: StoredValue, annotation: StoredValue | undefined): StoredValue => {
    const found = edmTypeOf(stored, annotation);
    const isPlain = found === "Edm.String" || found === "Edm.Double";
    const forms = (isPlain ? serializer.plain : undefined) ?? serializer;
    return forms.parse(String(stored)) ?? stored;
  };
  const annotationInRow = serializer.annotation === "never" ? undefined : serializer.edm;
  const accepts = (stored: StoredValue, annotation: StoredValue | undefined): boolean => {
    const found = edmTypeOf(stored, annotation);
    return found !== serializer.edm && accepted.has(found);
  };
  return {
    ...serializer,
    code: undefined,
    decode(stored: StoredValue, annotation: StoredValue | undefined, path: PropertyPath): Value {
      if (!accepts(stored, annotation)) return serializer.decode(stored, annotation, path);
      if (losesDigits(stored, serializer.edm))
        throw SerializationError.outOfRange(path, "integers that a Double holds exactly");
      return serializer.decode(reinterpret(stored, annotation), annotationInRow, path);
    },
    // A value stored as another type keeps that type until it is edited.
    keep(stored: StoredValue, value: Value, annotation?: StoredValue): SnapshotValue {
      return accepts(stored, annotation)
        ? new SnapshotForm(
            stored,
            annotation,
            serializer.keep(reinterpret(stored, annotation), value, annotationInRow),
          )
        : serializer.keep(stored, value, annotation);
    },
  };
}

/** An Int64 beyond 2^53 that equals no Double. */
const losesDigits = (stored: StoredValue, target: EdmType): boolean =>
  target === "Edm.Double" &&
  typeof stored === "string" &&
  isInt64Text(stored) &&
  BigInt(Number(stored)) !== BigInt(stored);
