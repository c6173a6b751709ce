import { SerializationError } from "../../values/errors/serialization-error.ts";
import { initialInstance } from "./fill-entity.ts";
import type { EntityModel, PropertyModel } from "../declaration/entity-model.ts";

/**
 * The value of a property that its row lacks: the one that the entity's own constructor assigned. An instance that
 * was built without its initial values gets that one now.
 *
 * @throws SerializationError `property.absent` for a required property that the constructor left undefined
 */
export function absentValue(
  model: EntityModel,
  property: PropertyModel,
  entity: Readonly<Record<string, unknown>>,
): unknown {
  const value = initialValueOf(model, property, entity);
  if (value === undefined && property.presence === "required")
    throw SerializationError.absent(property.path, property.storedName);
  return value;
}

function initialValueOf(
  model: EntityModel,
  { name, initial }: PropertyModel,
  entity: Readonly<Record<string, unknown>>,
): unknown {
  const assigned = entity[name];
  if (initial === undefined) return assigned;
  // A constructor of its own saw no initial value here, and may assign another one where it does.
  return assigned === undefined
    ? initial()
    : (initialInstance(model) as Readonly<Record<string, unknown>>)[name];
}
