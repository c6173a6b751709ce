import type { EntityKey } from "../../values/edm/stored-entity.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { type EntityModel, propertyNames } from "../declaration/entity-model.ts";
import { subjectOf } from "./encode-entity.ts";

/** @throws StateError `entity.frozen` for an entity that its properties cannot be assigned to */
export function checkAssignable(
  entity: object,
  model: EntityModel,
  key: EntityKey,
  operation: string,
  namesOf: (model: EntityModel) => readonly string[] = propertyNames,
): void {
  // Only an entity that takes no new properties is examined closely: this runs for each row that is merged or
  // written.
  if (Object.isExtensible(entity) || namesOf(model).every((name) => isWritable(entity, name))) return;
  throw new StateError(
    "entity.frozen",
    `${operation} would assign to ${subjectOf(model, key)}, which is frozen or sealed. It was not changed. Track an entity that is not frozen, or read with mergeOption "noTracking".`,
    { entity: model.name },
  );
}

const isWritable = (entity: object, name: string): boolean =>
  Object.getOwnPropertyDescriptor(entity, name)?.writable === true;
