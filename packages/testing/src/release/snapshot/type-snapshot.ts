import type { PropertyModel } from "@partita/core/models";
import type { StoredType } from "@partita/core/upgrades";
import type { TypeSnapshot } from "./model-snapshot.ts";

/** How values of a type are stored, with what its schema says of them. */
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
