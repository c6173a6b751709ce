import { isDate, isUint8Array } from "../../values/errors/built-ins.ts";
import { Ticks } from "../../values/edm/ticks.ts";
import { isList, type NormalNode, type PredicateLeaf } from "./predicate-node.ts";

/** Describes a predicate in the words of the query: `rating ge 3 and not (title exists)`. */
export function describePredicate(node: NormalNode): string {
  if (!isList(node)) return node.type === "not" ? `not (${describeLeaf(node.node)})` : describeLeaf(node);
  const parts = node.nodes.map((child) =>
    isList(child) ? `(${describePredicate(child)})` : describePredicate(child),
  );
  return parts.length === 0 ? (node.type === "and" ? "everything" : "nothing") : parts.join(` ${node.type} `);
}

function describeLeaf(leaf: PredicateLeaf): string {
  switch (leaf.type) {
    case "compare":
      return `${leaf.property} ${leaf.op} ${describeValue(leaf.value)}`;
    case "startsWith":
      return `${leaf.property} startsWith ${describeValue(leaf.value)}`;
    case "in":
      return leaf.values.length > 3
        ? `${leaf.property} in ${leaf.values.length} values`
        : `${leaf.property} in (${leaf.values.map(describeValue).join(", ")})`;
    case "exists":
      return `${leaf.property} exists`;
    default:
      return leaf satisfies never;
  }
}

function describeValue(value: unknown): string {
  if (isDate(value)) return value.toISOString();
  if (Ticks.is(value)) return value.toString();
  if (isUint8Array(value)) return `${value.length} bytes`;
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}
