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
  if (unscoped === true) throw problem("and with unscoped: true. Keep the one that is meant.");
  if (keyProperties.some(({ name }) => name === scopedBy)) return;
  const property = properties.find(({ name, place }) => name === scopedBy && place === undefined);
  if (property === undefined)
    throw problem(
      "which is neither a part of its key nor a stored property. Declare it in the class, or in the base of its kinds.",
    );
  if (property.serializer.isJson === true)
    throw problem("which holds JSON, and a scope is one value. Take a property of text, a number or a GUID.");
}
