import type { AnyKeyFormat } from "../../values/keys/key-format.ts";
import type { PropertyModel } from "./entity-model.ts";

/** Whether a key format takes values of a property. What a converter makes of values is known to nobody: then it may. */
export function acceptsValuesOf(format: AnyKeyFormat, { serializer }: PropertyModel): boolean {
  if (serializer.isConverted === true || serializer.comparison === "none")
    return serializer.comparison !== "none";
  return format.accepting(serializer.sample);
}
