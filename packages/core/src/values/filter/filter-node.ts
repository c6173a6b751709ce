import type { EdmType, StoredValue } from "../edm/stored-entity.ts";

/** The comparisons of the protocol. */
export type ComparisonOperator = "eq" | "ne" | "gt" | "ge" | "lt" | "le";

/** A constant with its EDM type; Int64, DateTime, Guid and Binary in their JSON text form. */
export interface Literal {
  readonly edm: EdmType;
  readonly value: StoredValue;
}

/** A stored property compared with a constant. */
export interface Comparison {
  readonly op: ComparisonOperator;
  readonly name: string;
  readonly literal: Literal;
}

/** `true` or `false` instead of a comparison: all rows, or none. */
export interface FilterConstant {
  readonly op: "constant";
  readonly value: boolean;
}

/**
 * A filter over stored names, with everything that `$filter` can express. An empty `and` is true, an empty `or` false;
 * neither can be sent to a service.
 */
export type FilterNode =
  | Comparison
  | { readonly op: "and" | "or"; readonly nodes: readonly FilterNode[] }
  | { readonly op: "not"; readonly node: FilterNode }
  | FilterConstant;

/** One comparison of a property with a literal. */
export const compare = (op: ComparisonOperator, name: string, literal: Literal): Comparison => ({
  op,
  name,
  literal,
});

/** A constant of type String. */
export const textLiteral = (value: string): Literal => ({ edm: "Edm.String", value });

/** Whether a constant is of type String. */
export const isTextLiteral = ({ edm }: Literal): boolean => edm === "Edm.String";

/** All of the nodes, flattened; undefined if there are none. */
export function allOf(nodes: readonly FilterNode[]): FilterNode | undefined {
  const [only] = nodes;
  if (only === undefined || (nodes.length === 1 && only.op !== "and")) return only;
  const flat = nodes.flatMap((node) => (node.op === "and" ? node.nodes : [node]));
  return flat.length < 2 ? flat[0] : { op: "and", nodes: flat };
}

/** The stored names a filter compares. */
export function namesIn(node: FilterNode | undefined): readonly string[] {
  if (node === undefined || node.op === "constant") return [];
  if ("nodes" in node) return node.nodes.flatMap(namesIn);
  return "node" in node ? namesIn(node.node) : [node.name];
}

/** The number of comparisons in the filter; the service documents a limit of 15. */
export const countComparisons = (node: FilterNode | undefined): number => namesIn(node).length;
