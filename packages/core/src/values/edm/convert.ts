import { ModelError } from "../errors/model-error.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { snapshotAsStored, type Serializer } from "./serializer.ts";
import { stringSerializer, stringType } from "./string.ts";

/**
 * A user's conversion to text and back. Law: `fromText(toText(v))` equals `v`, and equal values have equal text,
 * which is how changes are found and equality is queried.
 */
export interface Converter<Value> {
  toText(value: Value): string;
  fromText(text: string): Value;
}

/** A value with a user's {@link Converter}, in a String property. */
export function convertSerializer<Value>(converter: Converter<Value>): Serializer<Value> {
  const { toText, fromText } = (converter ?? {}) as Partial<Converter<Value>>;
  if (typeof toText !== "function" || typeof fromText !== "function")
    throw new ModelError(
      "model.property-type",
      "convert(converter), or @Convert(converter), takes { toText(value), fromText(text) }.",
    );
  return {
    ...stringType,
    ...snapshotAsStored,
    name: "Convert",
    comparison: "equality",
    sample: "a",
    encode(value, path) {
      let text: string;
      try {
        text = converter.toText(value);
      } catch (cause) {
        throw SerializationError.conversion(path, "encode", cause);
      }
      return stringSerializer.encode(text, path);
    },
    decode(stored, annotation, path) {
      const text = stringSerializer.decode(stored, annotation, path);
      try {
        return converter.fromText(text);
      } catch (cause) {
        throw SerializationError.conversion(path, "decode", cause);
      }
    },
    isUnchanged(snapshotValue, value) {
      try {
        // Compared decoded: the converter may read several texts as one value.
        const read = converter.fromText(snapshotValue as string);
        if (read === value) return true;
        const isAbsent = (v: unknown): boolean => v === undefined || v === null;
        return !isAbsent(read) && !isAbsent(value) && converter.toText(read) === converter.toText(value);
      } catch {
        return false;
      }
    },
  };
}
