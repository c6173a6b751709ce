import { booleanSerializer } from "./boolean.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import type { Serializer } from "./serializer.ts";

/** A member of an embedded object. */
export interface PresenceMember {
  readonly name: string;
  /** Whether null is one of its values. */
  readonly isJson: boolean;
}

/**
 * Stores that an embedded object exists although its members have no value. Its host value is the object; it has a
 * value if no member has one.
 */
export const presenceSerializer = (members: readonly PresenceMember[]): Serializer<unknown> => {
  const { code: _, ...forms } = booleanSerializer;
  return {
    ...forms,
    isEmpty: (value) => typeof value === "object" && value !== null && members.some(hasValue(value)),
    encode(value, path) {
      if (value !== true && !isObject(value)) throw SerializationError.wrongType(path, "an object", value);
      return true;
    },
    keep: () => true,
    // Once stored, it may stay together with leaves.
    isUnchanged: (_kept, value) => isObject(value),
  };
};

const hasValue =
  (object: object) =>
  ({ name, isJson }: PresenceMember): boolean => {
    const value = (object as Readonly<Record<string, unknown>>)[name];
    return value !== undefined && (value !== null || isJson);
  };

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);
