import type { StoredValue } from "../edm/stored-entity.ts";
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
    case "eq":
    case "ne":
    case "gt":
    case "ge":
    case "lt":
    case "le":
      return `${node.name} ${node.op} ${printLiteral(node.literal)}`;
    default:
      return node satisfies never;
  }
}

/** An operand of `and` or `or`: parenthesised when it is itself a list, so that no precedence needs remembering. */
function printOperand(node: FilterNode): string {
  return node.op === "and" || node.op === "or" ? `(${printFilter(node)})` : printFilter(node);
}

/** Never without a point or an exponent, and zero with its sign. */
function printDouble(value: StoredValue): string {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** A constant in the protocol's literal syntax. Source: learn.microsoft.com "Querying tables and entities". */
export function printLiteral({ edm, value }: Literal): string {
  switch (edm) {
    case "Edm.String":
      return `'${String(value).replaceAll("'", "''")}'`;
    case "Edm.Int32":
    case "Edm.Boolean":
      return String(value);
    case "Edm.Int64":
      return `${value}L`;
    case "Edm.Double":
      return printDouble(value);
    case "Edm.DateTime":
      return `datetime'${value}'`;
    case "Edm.Guid":
      return `guid'${value}'`;
    case "Edm.Binary":
      return `X'${Buffer.from(String(value), "base64").toString("hex").toUpperCase()}'`;
    default:
      return edm satisfies never;
  }
}
