import type { EntityModel } from "../../model/entity-model.ts";
import { wrongOperand } from "../build/columns.ts";
import { comparisonNode, prefixNode } from "./lower-predicate.ts";
import { isList, type NormalNode, type PredicateLeaf } from "../build/predicate-node.ts";

/**
 * Refuses comparisons with values of another type, wherever they stand in the predicate.
 *
 * @throws QueryError `query.wrong-type` or `query.not-comparable`, naming class and property
 */
export function checkOperands(model: EntityModel, node: NormalNode): void {
  if (isList(node)) for (const child of node.nodes) checkOperands(model, child);
  else checkLeaf(model, node.type === "not" ? node.node : node);
}

function checkLeaf(model: EntityModel, leaf: PredicateLeaf): void {
  const operands = operandsOf(leaf);
  const part = model.keyProperties.find((p) => p.name === leaf.property);
  if (part !== undefined) {
    const template = part.key === "PartitionKey" ? model.partitionKey : model.rowKey;
    const format = template.parts[part.index]?.format;
    if (format !== undefined && !operands.every((operand) => format.accepting(operand)))
      throw wrongOperand(model.name, leaf.property, format.accepts);
    return;
  }
  const property = model.properties.find((p) => p.name === leaf.property);
  if (property === undefined) return;
  if (leaf.type === "startsWith") prefixNode(property, leaf.value);
  else
    for (const operand of operands)
      comparisonNode(property, leaf.type === "compare" ? leaf.op : "eq", operand);
}

function operandsOf(leaf: PredicateLeaf): readonly unknown[] {
  switch (leaf.type) {
    case "compare":
    case "startsWith":
      return [leaf.value];
    case "in":
      return leaf.values;
    case "exists":
      return [];
    default:
      return leaf satisfies never;
  }
}
