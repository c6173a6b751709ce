import { type PropertyPath, SerializationError } from "../errors/serialization-error.ts";
import { isInt64Text } from "./int64.ts";
import { SnapshotForm } from "./snapshot-form.ts";
import type { SnapshotValue, Serializer } from "./serializer.ts";
import { type EdmType, edmTypeOf, type StoredValue } from "./stored-entity.ts";

/**
 * A serializer that also reads values stored under other EDM types, as rows written by older programs or other
 * clients have them. It writes its own type only.
 *
 * @throws SerializationError on read, when the value does not fit the declared type (`2.5` as Int32).
 */
export function alsoReads<Value>(
  serializer: Serializer<Value>,
  types: readonly EdmType[],
): Serializer<Value> {
  const accepted = new Set<EdmType>(types);
  /** Text and Doubles mean what plain data does: `"12.50"`. Integers are the stored form. The target's own decoder judges what does not fit. */
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
    // What is stored under another type stays so until somebody changes it.
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

/** An Int64 beyond 2^53 that no Double equals. */
const losesDigits = (stored: StoredValue, target: EdmType): boolean =>
  target === "Edm.Double" &&
  typeof stored === "string" &&
  isInt64Text(stored) &&
  BigInt(Number(stored)) !== BigInt(stored);
