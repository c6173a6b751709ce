import { SerializationError } from "../errors/serialization-error.ts";
import type { Serializer } from "./serializer.ts";
import { stringSerializer } from "./string.ts";

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
  return {
    name: "Convert",
    edm: "Edm.String",
    encode(value, path) {
      let text: string;
      try {
        text = converter.toText(value);
      } catch (cause) {
        throw SerializationError.conversion(path, "encode", cause);
      }
      return stringSerializer.encode(text, path);
    },
    isAnnotated: () => false,
    decode(stored, annotation, path) {
      const text = stringSerializer.decode(stored, annotation, path);
      try {
        return converter.fromText(text);
      } catch (cause) {
        throw SerializationError.conversion(path, "decode", cause);
      }
    },
    isUnchanged(stored, value) {
      try {
        return converter.toText(value) === stored;
      } catch {
        return false;
      }
    },
  };
}
