import { ModelError } from "../errors/model-error.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { snapshotAsValue, type Serializer } from "./serializer.ts";
import { stringSerializer, stringType } from "./string.ts";

/** One of a fixed list of texts, in a String property. Other values are refused when they are written or read. */
export function enumSerializer<const Values extends readonly string[]>(
  values: Values,
): Serializer<Values[number]> {
  if (!Array.isArray(values) || values.length === 0 || values.some((value) => typeof value !== "string"))
    throw new ModelError(
      "model.property-type",
      'enumOf(values), or @Enum(values), takes a list of texts, such as ["open", "done"]. For a TypeScript enum, pass Object.values(State).',
    );
  const known = new Set<unknown>(values);
  const list = values.map((v) => JSON.stringify(v)).join(", ");
  return {
    ...stringType,
    ...snapshotAsValue,
    name: "Enum",
    values,
    keyAdvice: "Write text(), and check the value before it is assigned.",
    sample: values[0],
    plainSchema: { type: "string", enum: values },
    encode(value, path) {
      if (!known.has(value)) throw SerializationError.malformed(path, `one of ${list}`);
      // Even a declared text may not be storable.
      return stringSerializer.encode(value, path);
    },
    decode(stored, annotation, path) {
      const text = stringSerializer.decode(stored, annotation, path);
      if (!known.has(text)) throw SerializationError.malformed(path, `one of ${list}`);
      return text;
    },
    restore: (snapshotValue) => snapshotValue as string,
  };
}
