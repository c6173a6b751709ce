import type { EdmType } from "../edm/stored-entity.ts";
import type { AnyKeyFormat } from "../keys/key-format.ts";
import type { PropertyModel } from "./entity-model.ts";

/** Values of each type of a stored property, as entities may have them. */
const samples: Readonly<Record<EdmType, readonly unknown[]>> = {
  "Edm.String": ["a"],
  "Edm.Int32": [0],
  "Edm.Int64": [0n],
  "Edm.Double": [0],
  "Edm.Boolean": [true],
  "Edm.DateTime": [new Date(0)],
  "Edm.Guid": ["00000000-0000-0000-0000-000000000000"],
  "Edm.Binary": [],
};

/** Whether a key format takes values of a property. What a converter makes of values is known to nobody: then it may. */
export function acceptsValuesOf(format: AnyKeyFormat, { serializer }: PropertyModel): boolean {
  if (serializer.name === "Json") return false;
  const isConverted = serializer.name === "Convert" || serializer.name === "DateTime ticks";
  return isConverted || samples[serializer.edm].some((value) => format.accepting(value));
}
