import { ModelError } from "../../values/errors/model-error.ts";
import { buildBlank } from "./initialise-instance.ts";
import { type EntityModel, propertyNames } from "./entity-model.ts";

/**
 * Refuses a class that extends a generated class and has fields that overwrite declared properties: every new instance
 * would lose the values that its base has just assigned.
 *
 * @throws ModelError `model.field-overwrites`
 */
export function checkFields(model: EntityModel): void {
  const overwritten = overwrittenBy(model);
  const [first] = overwritten;
  if (first === undefined) return;
  const fields = overwritten.map((name) => `${model.name}.${name}`).join(", ");
  throw new ModelError(
    "model.field-overwrites",
    `${fields} is declared again as a field of the class, which overwrites the value that its base assigns: every new ${model.name} would lose it. Put "declare" in front of the field's name ("declare ${first}: …"), or leave the line out. For an initial value, use default() on the property.`,
    { entity: model.name, properties: overwritten },
  );
}

/**
 * Builds one instance over a prototype that has each property as an accessor. The generated class does not assign the
 * properties of a blank instance, a field with define semantics becomes an own property, and an assignment in a
 * constructor calls the accessor. An assignment counts only if the constructor takes no arguments: then it is the
 * compiled form of a field with a value.
 */
function overwrittenBy(model: EntityModel): string[] {
  const { entityClass } = model;
  const names = propertyNames(model);
  const assigned = new Set<string>();
  const value = Object.freeze({});
  const accessors = names.map((name) => {
    const accessor = { configurable: true, get: () => value, set: () => void assigned.add(name) };
    return [name, accessor] as const;
  });
  const prototype = Object.create(
    entityClass.prototype as object,
    Object.fromEntries(accessors) as PropertyDescriptorMap,
  ) as object;
  let blank: object;
  try {
    blank = buildBlank(entityClass, prototype);
  } catch {
    // A class that cannot be built without arguments is refused when an instance is needed.
    return [];
  }
  const countsAssigned = entityClass.length === 0;
  return names.filter((name) => Object.hasOwn(blank, name) || (countsAssigned && assigned.has(name)));
}
