import { ModelError } from "../errors/model-error.ts";
import { type EntityModel, propertyNames } from "./entity-model.ts";

/**
 * Refuses a class that extends a generated one and whose own field initialisers overwrite declared properties: what its
 * base has just assigned would be lost in every new instance.
 *
 * @throws ModelError `model.field-overwrites`
 */
export function checkFields(model: EntityModel): void {
  let blank: object;
  try {
    blank = model.createBlank();
  } catch {
    // A class that cannot be built without arguments is refused where an instance is needed.
    return;
  }
  // The generated class leaves the properties of a blank instance alone: any that are there came after it.
  const overwritten = propertyNames(model).filter((name) => Object.hasOwn(blank, name));
  if (overwritten.length === 0) return;
  const [first] = overwritten;
  const fields = overwritten.map((name) => `${model.name}.${name}`).join(", ");
  throw new ModelError(
    "model.field-overwrites",
    `${fields} is declared again as a field of the class, which overwrites the value that its base assigns: every new ${model.name} would lose it. Write "declare ${first}: …" in front of its type, or leave the line out; a value to begin with is a default() of the property.`,
    { entity: model.name, properties: overwritten },
  );
}
