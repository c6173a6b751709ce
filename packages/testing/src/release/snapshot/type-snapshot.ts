import type { PropertyModel } from "@partita/core/models";
import type { StoredType } from "@partita/core/upgrades";
import type { TypeSnapshot } from "./model-snapshot.ts";

/** The stored form of a type's values, with details from its schema. */
export function typeSnapshot(
  { edm, name: type, plainSchema }: PropertyModel["serializer"],
  presence: StoredType["presence"],
): TypeSnapshot {
  const { enum: values, minimum, maximum, maxLength } = plainSchema;
  return {
    edm,
    type,
    presence: presence === "filled" ? "required" : presence,
    ...(Array.isArray(values) && { values: values as readonly string[] }),
    ...(typeof minimum === "number" && { minimum }),
    ...(typeof maximum === "number" && { maximum }),
    ...(typeof maxLength === "number" && { maxLength }),
  };
}
