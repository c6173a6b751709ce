import type { EntityModel } from "../model/entity-model.ts";
import { formatsOf } from "./compile-key.ts";
import { assignKey, assignSystemValues } from "./decode-entity.ts";

/**
 * What all code that is written for a class may name. Of the property at `i`, `q` is its model, `s` its serializer and `p`
 * its path.
 */
export function modelConstants(model: EntityModel): Record<string, unknown> {
  const constants: Record<string, unknown> = {
    model,
    assignKey,
    assignSystemValues,
    ...formatsOf(model, "PartitionKey"),
    ...formatsOf(model, "RowKey"),
  };
  for (const [i, property] of model.properties.entries()) {
    constants[`q${i}`] = property;
    constants[`s${i}`] = property.serializer;
    constants[`p${i}`] = property.path;
  }
  return constants;
}
