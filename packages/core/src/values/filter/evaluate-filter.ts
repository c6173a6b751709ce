import { findEdmType } from "../edm/edm-types.ts";
import { annotationOf, edmTypeOf, type StoredEntity } from "../edm/stored-entity.ts";
import type { Comparison, ComparisonOperator, FilterNode, Literal } from "./filter-node.ts";

/** Finds the value of a name in a filter; undefined if it is absent. */
export type ValueLookup = (name: string) => Literal | undefined;

/**
 * Whether an entity satisfies a filter, by the service's rules. The logic is two-valued: a comparison with an absent
 * property is false, including `ne`. Text compares by UTF-16 code units. If a property has another type than the
 * literal, the service's mismatch table applies.
 */
export function evaluateFilter(node: FilterNode, lookup: ValueLookup): boolean {
  switch (node.op) {
    case "and":
      return node.nodes.every((child) => evaluateFilter(child, lookup));
    case "or":
      return node.nodes.some((child) => evaluateFilter(child, lookup));
    case "not":
      return !evaluateFilter(node.node, lookup);
    case "constant":
      return node.value;
    default: {
      const found = lookup(node.name);
      return found !== undefined && evaluateComparison(node, found);
    }
  }
}

/** The values of a stored entity by name, keys and Timestamp included. */
export function lookupIn(entity: StoredEntity): ValueLookup {
  return (name) => {
    const value = Object.hasOwn(entity, name) ? entity[name] : undefined;
    if (value === undefined) return undefined;
    if (name === "Timestamp") return { edm: "Edm.DateTime", value };
    return { edm: edmTypeOf(value, entity[annotationOf(name)]), value };
  };
}

function evaluateComparison({ op, literal }: Comparison, found: Literal): boolean {
  const forms = findEdmType(found.edm);
  // Only Int32 is promoted to Int64, and integers to Double.
  const isComparable = found.edm === literal.edm || forms?.comparesWith?.includes(literal.edm) === true;
  if (forms === undefined || !isComparable) return op === "ne" || op === "lt" || op === "le";
  return satisfies(op, forms.compare(found.value, literal.value));
}

/** A value without an order, such as NaN, differs from every value and precedes none. */
export const satisfies = (op: ComparisonOperator, order: number): boolean => tests[op](order);

const tests: Readonly<Record<ComparisonOperator, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
};
