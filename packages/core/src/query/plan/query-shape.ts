import type { FilterNode } from "../../values/filter/filter-node.ts";
import type { PredicateNode } from "../build/predicate-node.ts";
import type { Condition } from "./conditions.ts";

/** The shape of a query, without its values. */
export interface ShapedQuery {
  /** Names of the classes. */
  readonly classes: readonly string[];
  /** The properties with included children. */
  readonly children: readonly string[] | undefined;
  /** The requested index, or "primary"; undefined to leave the choice to the planner. */
  readonly path: string | undefined;
  readonly conditions: readonly Condition[];
  readonly raw: FilterNode | undefined;
}

/**
 * A query without its values: classes, and operators by property. Two queries that differ in values, in how long a list
 * is, or in the order of their conditions have one shape: `Blog: channel eq and postedOn ge`.
 */
export function shapeOf({ classes, children, path, conditions, raw }: ShapedQuery): string {
  const asked = [
    classes.toSorted().join(" | "),
    ...(children === undefined ? [] : [`with ${children.toSorted().join(", ")}`]),
    ...(path === undefined ? [] : [`via ${path}`]),
  ].join(" ");
  const parts = conditions.flatMap(({ node, kind }) => {
    const shapes = node.type === "and" ? node.nodes.map(shapeOfNode) : [shapeOfNode(node)];
    return kind === undefined ? shapes : [`where ${kind.name} (${joined("and", shapes)})`];
  });
  if (raw !== undefined) parts.push(`filter (${shapeOfFilter(raw)})`);
  return `${asked}: ${parts.length === 0 ? "everything" : joined("and", parts)}`;
}

function shapeOfNode(node: PredicateNode): string {
  switch (node.type) {
    case "and":
    case "or":
      return `(${joined(node.type, node.nodes.map(shapeOfNode)) || (node.type === "and" ? "everything" : "nothing")})`;
    case "not":
      return `not (${shapeOfNode(node.node)})`;
    case "compare":
      return `${node.property} ${node.op}`;
    case "in":
    case "startsWith":
    case "exists":
      return `${node.property} ${node.type}`;
    default:
      return node satisfies never;
  }
}

function shapeOfFilter(node: FilterNode): string {
  switch (node.op) {
    case "and":
    case "or":
      return `(${joined(node.op, node.nodes.map(shapeOfFilter))})`;
    case "not":
      return `not (${shapeOfFilter(node.node)})`;
    case "constant":
      return String(node.value);
    default:
      return `${node.name} ${node.op}`;
  }
}

/** In one order, each once: a loop that joins conditions by `or` has the same shape however often it runs. */
const joined = (by: "and" | "or", parts: readonly string[]): string =>
  [...new Set(parts)].toSorted().join(` ${by} `);
