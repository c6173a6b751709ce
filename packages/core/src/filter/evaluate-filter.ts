import { canonicalDateTime } from "../edm/date-time-text.ts";
import { parseDouble } from "../edm/double.ts";
import { annotationOf, edmTypeOf, type StoredEntity } from "../edm/stored-entity.ts";
import type { Comparison, ComparisonOperator, FilterNode, Literal } from "./filter-node.ts";

/** Finds the value a filter's name stands for; undefined when it is absent. */
export type ValueLookup = (name: string) => Literal | undefined;

/**
 * Whether an entity satisfies a filter, by the service's rules: two-valued; a comparison with an absent property is
 * false, `ne` included; text compares by UTF-16 code units; a property of another type than the literal follows the
 * service's mismatch table.
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
    case "eq":
    case "ne":
    case "gt":
    case "ge":
    case "lt":
    case "le": {
      const found = lookup(node.name);
      return found !== undefined && evaluateComparison(node, found);
    }
    default:
      return node satisfies never;
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
  const order = compareValues(found, literal);
  // NaN is unordered: it differs from everything and precedes nothing.
  if (order === "unordered") return op === "ne";
  if (order === "mismatch") return op === "ne" || op === "lt" || op === "le";
  return satisfies(op, order);
}

export function satisfies(op: ComparisonOperator, order: number): boolean {
  switch (op) {
    case "eq":
      return order === 0;
    case "ne":
      return order !== 0;
    case "gt":
      return order > 0;
    case "ge":
      return order >= 0;
    case "lt":
      return order < 0;
    case "le":
      return order <= 0;
    default:
      return op satisfies never;
  }
}

/** Order of a stored value and a constant; the only promotions are Int32 to Int64 and integers to Double. */
function compareValues(found: Literal, literal: Literal): number | "mismatch" | "unordered" {
  if (found.edm !== literal.edm) {
    if (found.edm === "Edm.Int64" && literal.edm === "Edm.Int32")
      return order(BigInt(found.value), BigInt(literal.value as number));
    if (found.edm === "Edm.Double" && (literal.edm === "Edm.Int32" || literal.edm === "Edm.Int64"))
      return orderDoubles(parseDouble(found.value), Number(literal.value));
    return "mismatch";
  }
  switch (found.edm) {
    case "Edm.Int64":
      return order(BigInt(found.value), BigInt(literal.value));
    case "Edm.Double":
      return orderDoubles(parseDouble(found.value), parseDouble(literal.value));
    case "Edm.DateTime":
      return order(
        canonicalDateTime(String(found.value)) ?? "",
        canonicalDateTime(String(literal.value)) ?? "",
      );
    case "Edm.Guid":
      return order(String(found.value).toLowerCase(), String(literal.value).toLowerCase());
    case "Edm.Binary":
      return Buffer.compare(
        Buffer.from(String(found.value), "base64"),
        Buffer.from(String(literal.value), "base64"),
      );
    case "Edm.String":
    case "Edm.Int32":
    case "Edm.Boolean":
      return order(found.value, literal.value);
    default:
      return found.edm satisfies never;
  }
}

const order = <Value extends string | number | bigint | boolean>(a: Value, b: Value): number =>
  a < b ? -1 : a > b ? 1 : 0;

function orderDoubles(a: number | undefined, b: number | undefined): number | "mismatch" | "unordered" {
  if (a === undefined || b === undefined) return "mismatch";
  return Number.isNaN(a) || Number.isNaN(b) ? "unordered" : order(a, b);
}
