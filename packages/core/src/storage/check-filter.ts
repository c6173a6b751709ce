import { isPropertyName } from "../values/edm/property-name.ts";
import { typedValue } from "../values/edm/typed-value.ts";
import { StorageError } from "../values/errors/storage-error.ts";
import { maxFilterDepth } from "../values/filter/filter-limits.ts";
import type { Comparison, ComparisonOperator, FilterNode } from "../values/filter/filter-node.ts";

/**
 * Returns the filter, with its constants in stored form. Nodes may be built by hand from untrusted input: a name or a
 * constant of another type could inject filter text when it is printed.
 *
 * @throws StorageError `storage.invalid-input`, without the name or the constant
 */
export const checkFilter = (node: FilterNode): FilterNode => checkNode(node, 1);

function checkNode(node: FilterNode, depth: number): FilterNode {
  if (depth > maxFilterDepth) throw invalid(`it is nested deeper than ${maxFilterDepth} levels`);
  switch (node.op) {
    case "and":
    case "or": {
      if (node.nodes.length === 0) throw invalid("a list of conditions is empty");
      const nodes = node.nodes.map((child) => checkNode(child, depth + 1));
      return nodes.every((child, i) => child === node.nodes[i]) ? node : { op: node.op, nodes };
    }
    case "not": {
      const child = checkNode(node.node, depth + 1);
      return child === node.node ? node : { op: "not", node: child };
    }
    case "constant":
      if (typeof node.value !== "boolean") throw invalid("a constant is neither true nor false");
      return node;
    default:
      return checkComparison(node);
  }
}

const operators: ReadonlySet<string> = new Set<ComparisonOperator>(["eq", "ne", "gt", "ge", "lt", "le"]);
const systemNames = new Set(["PartitionKey", "RowKey", "Timestamp"]);

function checkComparison(node: Comparison): Comparison {
  const { op, name, literal } = node;
  if (!operators.has(op)) throw invalid("an operator is unknown");
  if (typeof name !== "string" || !(systemNames.has(name) || isPropertyName(name)))
    throw invalid("a name is not a valid property name");
  const value = typedValue(literal.value, literal.edm)?.value;
  if (value === undefined) throw invalid("a constant does not match its EDM type");
  return value === literal.value ? node : { ...node, literal: { edm: literal.edm, value } };
}

const invalid = (problem: string): StorageError =>
  StorageError.ofService("InvalidInput", `the filter: ${problem}`);
