import { formsOf } from "../edm/edm-types.ts";
import type { FilterNode, Literal } from "./filter-node.ts";

/** The filter as OData text for `$filter`, with typed and escaped literals; not yet percent-encoded. */
export function printFilter(node: FilterNode): string {
  switch (node.op) {
    case "and":
    case "or":
      return node.nodes.map(printOperand).join(` ${node.op} `);
    case "not":
      return `not (${printFilter(node.node)})`;
    case "constant":
      return String(node.value);
    default:
      return `${node.name} ${node.op} ${printLiteral(node.literal)}`;
  }
}

/** An operand of `and` or `or`. It is in parentheses if it is a list itself, so readers need no precedence rules. */
function printOperand(node: FilterNode): string {
  return node.op === "and" || node.op === "or" ? `(${printFilter(node)})` : printFilter(node);
}

/** A constant in the protocol's literal syntax. */
export const printLiteral = ({ edm, value }: Literal): string => formsOf(edm).print(value);
