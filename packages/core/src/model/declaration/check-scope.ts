import { ModelError } from "../../values/errors/model-error.ts";
import type { KeyProperty, PropertyModel, TableSettings } from "./entity-model.ts";

/** @throws ModelError `model.scope` for a property that cannot hold the scope of a row */
export function checkScope(
  entity: string,
  { scopedBy, unscoped }: TableSettings,
  keyProperties: readonly KeyProperty[],
  properties: readonly PropertyModel[],
): void {
  if (scopedBy === undefined) return;
  const problem = (why: string): ModelError =>
    new ModelError("model.scope", `${entity} is declared with scopedBy: "${scopedBy}", ${why}`, {
      entity,
      property: scopedBy,
    });
  if (unscoped === true) throw problem("and with unscoped: true. Keep only one of them.");
  if (keyProperties.some(({ name }) => name === scopedBy)) return;
  const property = properties.find(({ name, place }) => name === scopedBy && place === undefined);
  if (property === undefined)
    throw problem(
      "which is neither a part of its key nor a stored property. Declare it in the class, or in the base of its kinds.",
    );
  if (property.serializer.isJson === true)
    throw problem(
      "which holds JSON, but a scope is a single value. Use a property of text, a number or a GUID.",
    );
}
