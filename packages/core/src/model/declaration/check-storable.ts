import { ModelError } from "../../values/errors/model-error.ts";
import type { EntityClass } from "./entity-definition.ts";
import type { EntityModel } from "./entity-model.ts";
import { kindsBelow } from "./model-registry.ts";

/**
 * Returns the model if instances of the class itself can be stored.
 *
 * @throws ModelError `model.base-of-kinds` for the base of other kinds; `model.key-missing` for a class without RowKey
 */
export function checkStorable(model: EntityModel): EntityModel {
  if (model.kind === undefined && kindsBelow(model.entityClass).size > 0)
    throw new ModelError(
      "model.base-of-kinds",
      `${model.name} is the base of the kinds ${[...kindsBelow(model.entityClass).keys()].join(", ")} and is not stored itself. Add an instance of one of them.`,
      { entity: model.name },
    );
  const base = model.kind === undefined ? baseOfKinds(model.entityClass) : undefined;
  if (base !== undefined)
    throw new ModelError(
      "model.kind-missing",
      `${model.name} extends ${base.name}, which is the base of kinds, but is not a kind itself: its rows would look like those of any other kind. Write @Kind("${model.name}") on it.`,
      { entity: model.name, base: base.name },
    );
  if (model.rowKey.parts.length === 0)
    throw new ModelError(
      "model.key-missing",
      `${model.name} declares no RowKey. Mark at least one property as its RowKey.`,
      { entity: model.name, key: "RowKey" },
    );
  return model;
}

/** The class above this one that has kinds. */
function baseOfKinds(entityClass: EntityClass): EntityClass | undefined {
  for (
    let above: unknown = Object.getPrototypeOf(entityClass);
    typeof above === "function";
    above = Object.getPrototypeOf(above)
  )
    if (above !== Function.prototype && kindsBelow(above as EntityClass).size > 0)
      return above as EntityClass;
  return undefined;
}
