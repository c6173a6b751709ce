import { layoutColumns } from "../../model/codec/row-layout.ts";
import { type EntityModel, memberNameOf } from "../../model/declaration/entity-model.ts";
import type { PredicateNode } from "../build/predicate-node.ts";
import type { Conditions } from "./conditions.ts";

/**
 * The stored names to request: the wanted properties, those that distinguish kinds, and those that rows are checked
 * by.
 *
 * @param raw - names that are stored names already
 */
export function storedNamesOf(
  models: readonly EntityModel[],
  wanted: Iterable<string>,
  conditions: Conditions,
  raw: readonly string[],
): readonly string[] {
  const properties = new Set([...wanted, ...propertiesOf(conditions)]);
  const names = new Set([...models.flatMap(layoutColumns), ...raw]);
  for (const model of models)
    for (const property of model.properties)
      if (properties.has(property.name) || properties.has(memberNameOf(property)))
        names.add(property.storedName);
  return [...names];
}

/** The properties that conditions name. */
export const propertiesOf = ({ list }: Conditions): string[] =>
  list.flatMap(({ node }) => propertiesIn(node));

function propertiesIn(node: PredicateNode): string[] {
  switch (node.type) {
    case "and":
    case "or":
      return node.nodes.flatMap(propertiesIn);
    case "not":
      return propertiesIn(node.node);
    default:
      return [node.property];
  }
}
