import { ModelError } from "../errors/model-error.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { snapshotAsStored, type AnySerializer, type Serializer } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";
import { stringSerializer } from "./string.ts";

/**
 * A user's conversion to text and back. Law: `fromText(toText(v))` equals `v`, and equal values have equal text.
 * Partita finds changes and compares for equality by this text.
 */
export interface Converter<Value> {
  toText(value: Value): string;
  fromText(text: string): Value;
}

/** A user's conversion to the values of another type and back, with the law of {@link Converter}. */
export interface StoredConverter<Value, Stored> {
  toStored(value: Value): Stored;
  fromStored(stored: Stored): Value;
}

/** A value with a user's {@link Converter}, stored as text, or with a {@link StoredConverter} as a value of `inner`. */
export function convertSerializer<Value>(
  converter: Partial<Converter<Value> & StoredConverter<Value, unknown>>,
  inner: AnySerializer = stringSerializer,
): Serializer<Value> {
  const isText = inner === stringSerializer && converter?.toStored === undefined;
  const { toStored, fromStored } = isText ? textConverter(converter) : converter;
  if (typeof toStored !== "function" || typeof fromStored !== "function")
    throw new ModelError(
      "model.property-type",
      "convert(converter), or @Convert(converter), takes { toText(value), fromText(text) }, or { type: int32(), toStored(value), fromStored(stored) }.",
    );
  const { code: _, sample: _sample, keyAdvice: _advice, isJson: _isJson, ...forms } = inner;
  const readStored = (stored: StoredValue): Value =>
    fromStored(inner.decode(stored, inner.isAnnotated(stored) ? inner.edm : undefined, nowhere));
  const canonical = (value: Value): StoredValue => inner.canonical(inner.encode(toStored(value), nowhere));
  return {
    ...forms,
    ...snapshotAsStored,
    sizeOfSnapshotValue: (snapshotValue) => inner.sizeOf(snapshotValue),
    name: isText ? "Convert" : `Convert ${inner.name}`,
    isConverted: true,
    comparison: comparisonOf(inner),
    rangeOf: (value) => inner.rangeOf?.(toStored(value as Value)),
    encode(value, path) {
      let stored: unknown;
      try {
        stored = toStored(value);
      } catch (cause) {
        throw SerializationError.conversion(path, "encode", cause);
      }
      return inner.encode(stored, path);
    },
    decode(stored, annotation, path) {
      const value: unknown = inner.decode(stored, annotation, path);
      try {
        return fromStored(value);
      } catch (cause) {
        throw SerializationError.conversion(path, "decode", cause);
      }
    },
    isUnchanged(snapshotValue, value) {
      try {
        // Compares decoded values: the converter may read several stored values as the same one.
        const read = readStored(snapshotValue as StoredValue);
        if (read === value) return true;
        const isAbsent = (v: unknown): boolean => v === undefined || v === null;
        return !isAbsent(read) && !isAbsent(value) && Object.is(canonical(read), canonical(value));
      } catch {
        return false;
      }
    },
  };
}

/** For values that are only compared; it never appears in a message. */
const nowhere = { entity: "", property: "" };

function textConverter<Value>(
  converter: Partial<Converter<Value>>,
): Partial<StoredConverter<Value, unknown>> {
  const { toText, fromText } = converter ?? {};
  if (typeof toText !== "function" || typeof fromText !== "function") return {};
  return {
    toStored: (value) => converter.toText?.(value),
    fromStored: (text) => converter.fromText?.(text as string) as Value,
  };
}

/** The text of a converter is not ordered like its values. Numbers and times are assumed to be ordered. */
function comparisonOf({ edm, comparison, isNumber }: AnySerializer): "ordered" | "equality" | "none" {
  if (comparison === "none" || comparison === "ordered") return comparison;
  return isNumber === true || edm === "Edm.DateTime" ? "ordered" : "equality";
}
