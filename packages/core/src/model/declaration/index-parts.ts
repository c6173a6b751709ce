import type { AnyKeyFormat } from "../../values/keys/key-format.ts";
import type { PropertyModel } from "./entity-model.ts";

/**
 * Whether a key format accepts values of a property. The values of a converter are unknown, so any format is allowed.
 */
export function acceptsValuesOf(format: AnyKeyFormat, { serializer }: PropertyModel): boolean {
  if (serializer.isConverted === true || serializer.comparison === "none")
    return serializer.comparison !== "none";
  return format.accepting(serializer.sample);
}
