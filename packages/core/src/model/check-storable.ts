import { ModelError } from "../errors/model-error.ts";
import type { EntityModel } from "./entity-model.ts";
import { kindsBelow } from "./model-registry.ts";

/**
 * The model, if instances of the class itself can be stored.
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
  if (model.rowKey.parts.length === 0)
    throw new ModelError(
      "model.key-missing",
      `${model.name} declares no RowKey. Mark at least one property as its RowKey.`,
      { entity: model.name, key: "RowKey" },
    );
  return model;
}
