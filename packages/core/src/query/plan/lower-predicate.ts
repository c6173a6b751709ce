// `plan-query.ts` calls `lowerPredicate` for the conditions that keys do not decide. It translates them to a filter
// over stored names, as far as storage can evaluate them, and returns the rest for the client.

import type { PropertyPath } from "../../values/errors/serialization-error.ts";
import { QueryError } from "../../values/errors/query-error.ts";
import { SerializationError } from "../../values/errors/serialization-error.ts";
import type { StoredValue } from "../../values/edm/stored-entity.ts";
import { evaluateFilter } from "../../values/filter/evaluate-filter.ts";
import {
  allOf,
  compare,
  type ComparisonOperator,
  type FilterNode,
  isTextLiteral,
  type Literal,
} from "../../values/filter/filter-node.ts";
import { beginsWith } from "../../values/filter/begins-with.ts";
import type { EntityModel, PropertyModel } from "../../model/declaration/entity-model.ts";
import { wrongOperand } from "../build/columns.ts";
import { olderConditions } from "./older-conditions.ts";
import { traceOf, widened, widenedNegation } from "./former-versions.ts";
import { isList, type NormalLeaf, type NormalNode, type PredicateLeaf } from "../build/predicate-node.ts";

/** A predicate in the terms of storage, as far as storage can decide it. */
export interface LoweredPredicate {
  /** The filter that storage evaluates; undefined when it can decide nothing. */
  readonly filter: FilterNode | undefined;
  /** The conditions that the filter does not contain, or not exactly: they are checked here. */
  readonly rest: readonly NormalNode[];
}

/**
 * Turns a predicate over properties into a filter over stored names that is never narrower: a conjunct that storage
 * cannot decide is left out, and a disjunction with such a branch is left out completely.
 */
export function lowerPredicate(model: EntityModel, node: NormalNode): LoweredPredicate {
  if (!isList(node)) return lowerLeaf(model, node);
  const lowered = node.nodes.map((child) => lowerPredicate(model, child));
  const rest = lowered.flatMap((child) => child.rest);
  const filters = lowered.flatMap((child) => (child.filter === undefined ? [] : [child.filter]));
  if (node.type === "and") return { filter: allOf(filters), rest };
  if (filters.length < lowered.length) return { filter: undefined, rest: [node] };
  return { filter: { op: "or", nodes: filters }, rest: rest.length === 0 ? [] : [node] };
}

function lowerLeaf(model: EntityModel, node: NormalLeaf): LoweredPredicate {
  const leaf = node.type === "not" ? node.node : node;
  const property = model.properties.find((p) => p.name === leaf.property);
  // Key parts are not stored under their own names; other types in old rows are beyond the service's comparisons.
  const isKnown = property !== undefined && !property.isStoredAsOther;
  const filter = isKnown ? filterOfLeaf(property, leaf) : undefined;
  if (filter === undefined || property === undefined) return { filter: undefined, rest: [node] };
  const trace = traceOf(model, property);
  if (trace === undefined)
    return { filter: node.type === "not" ? { op: "not", node: filter } : filter, rest: [] };
  const under = (storedName: string): FilterNode =>
    filterOfLeaf({ ...property, storedName }, leaf) as FilterNode;
  const wide =
    node.type === "not"
      ? widenedNegation(model, property, trace, filter)
      : widened(
          model,
          property,
          trace,
          filter,
          under,
          olderConditions(model, property, trace, leaf, filterOfLeaf),
        );
  return { filter: wide, rest: [node] };
}

/** The exact filter of one condition; undefined when the service has none. */
function filterOfLeaf(property: PropertyModel, leaf: PredicateLeaf): FilterNode | undefined {
  switch (leaf.type) {
    case "compare":
      return filterOfComparison(property, leaf.op, leaf.value);
    case "in": {
      const nodes = uniqueLiterals(property, leaf.values).map((value) =>
        filterOfComparison(property, "eq", value),
      );
      return nodes.length === 0 || nodes.includes(undefined)
        ? undefined
        : { op: "or", nodes: nodes as FilterNode[] };
    }
    case "startsWith":
      return property.defaultStored() === undefined ? prefixNode(property, leaf.value) : undefined;
    case "exists":
      return property.defaultStored() === undefined ? filterOfExistence(property) : undefined;
    default:
      return leaf satisfies never;
  }
}

function filterOfComparison(
  property: PropertyModel,
  op: ComparisonOperator,
  value: unknown,
): FilterNode | undefined {
  const plain = comparisonNode(property, op, value);
  if (op !== "eq" && op !== "ne" && !property.serializer.isOrdered) return undefined;
  // The service has no literal for NaN and infinities.
  if ("literal" in plain && property.serializer.isNumber && !Number.isFinite(Number(plain.literal.value)))
    return undefined;
  const initial = defaultLiteral(property);
  if (initial === undefined || !evaluateFilter(plain, () => initial)) return plain;
  // An absent value reads as the default, which satisfies this: let absent ones through too.
  return { op: "or", nodes: [plain, { op: "not", node: filterOfExistence(property) }] };
}

/** A comparison of a stored value, as every evaluator understands it; defaults are not considered. */
export function comparisonNode(property: PropertyModel, op: ComparisonOperator, value: unknown): FilterNode {
  const { serializer, storedName } = property;
  checkComparable(property, op);
  const range = serializer.rangeOf?.(value);
  if (range !== undefined) return rangeNode(storedName, op, serializer.edm, range);
  const literal = literalOf(property, value);
  if (serializer.widens !== undefined) return numberNode(storedName, op, literal, serializer.widens.isEqual);
  return compare(op, storedName, literal);
}

const [minInt32, maxInt32] = [-(2 ** 31), 2 ** 31 - 1];

/**
 * A comparison of Int64 or Double; other clients may have stored some values as Int32. The service compares a constant
 * of Int32 with all three; of any other constant, an Int32 is neither equal nor greater, and always less.
 */
function numberNode(name: string, op: ComparisonOperator, literal: Literal, isEqual: boolean): FilterNode {
  const value = Number(literal.value);
  const int32 = (number: number): Literal => ({ edm: "Edm.Int32", value: number });
  const plain = compare(op, name, literal);
  if (Number.isInteger(value) && value >= minInt32 && value <= maxInt32) {
    const whole = compare(op, name, int32(value + 0));
    if (!isEqual && op === "eq") return { op: "or", nodes: [plain, whole] };
    if (!isEqual && op === "ne") return { op: "and", nodes: [plain, whole] };
    return whole;
  }
  const least = Math.max(minInt32, Math.ceil(value));
  if (op === "eq" || op === "ne" || !Number.isFinite(value) || least > maxInt32) return plain;
  return op === "gt" || op === "ge"
    ? { op: "or", nodes: [plain, compare("ge", name, int32(least))] }
    : { op: "and", nodes: [plain, compare("lt", name, int32(least))] };
}

/** The stored form that an absent value is read as; undefined when it stays absent. */
export function defaultLiteral({ defaultStored, serializer: { edm } }: PropertyModel): Literal | undefined {
  const value = defaultStored();
  return value === undefined ? undefined : { edm, value };
}

/** @throws QueryError `query.not-comparable` for JSON, and for the order of converted values */
function checkComparable({ serializer, path }: PropertyModel, op: ComparisonOperator): void {
  const isEquality = op === "eq" || op === "ne";
  const { comparison } = serializer;
  if (comparison === "none" || (comparison === "equality" && !isEquality))
    throw notComparable(comparison, path);
}

/** A comparison with a constant that represents several stored values; each of them may be stored. */
function rangeNode(
  name: string,
  op: ComparisonOperator,
  edm: Literal["edm"],
  [least, greatest]: readonly [StoredValue, StoredValue],
): FilterNode {
  const side = (operator: ComparisonOperator, value: StoredValue): FilterNode =>
    compare(operator, name, { edm, value });
  switch (op) {
    case "eq":
      return { op: "and", nodes: [side("ge", least), side("le", greatest)] };
    case "ne":
      return { op: "or", nodes: [side("lt", least), side("gt", greatest)] };
    case "ge":
    case "lt":
      return side(op, least);
    case "gt":
    case "le":
      return side(op, greatest);
    default:
      return op satisfies never;
  }
}

/** Stored text that begins with `prefix`. */
export function prefixNode({ storedName, serializer, path }: PropertyModel, prefix: string): FilterNode {
  const { comparison, edm } = serializer;
  if (comparison === "equality" || comparison === "none") throw notComparable(comparison, path);
  if (comparison === "ordered") throw noBeginning(path, "is compared by its value");
  if (!isTextLiteral({ edm, value: "" })) throw noBeginning(path, "is not stored as text");
  return beginsWith(storedName, prefix);
}

/** Present and of the declared type: equal or unequal to any one value. */
function filterOfExistence({ storedName, serializer: { edm, example } }: PropertyModel): FilterNode {
  const literal: Literal = { edm, value: example };
  return { op: "or", nodes: [compare("eq", storedName, literal), compare("ne", storedName, literal)] };
}

function notComparable(comparison: "equality" | "none", { entity, property }: PropertyPath): QueryError {
  const why =
    comparison === "none"
      ? `is stored as JSON, which no store compares`
      : `is stored as converted text, which is not ordered like its values; compare it with eq, ne or in`;
  return new QueryError(
    "query.not-comparable",
    `${entity}.${property} ${why}. Compare it after reading, or store the searched value in a separate property.`,
    { entity, property },
  );
}

function noBeginning({ entity, property }: PropertyPath, why: string): QueryError {
  return new QueryError(
    "query.not-comparable",
    `${entity}.${property} ${why}, so startsWith() cannot compare it. Use eq, in or a range.`,
    { entity, property },
  );
}

/** The constant a property is compared with, in stored form. @throws QueryError `query.wrong-type` */
function literalOf(property: PropertyModel, value: unknown): Literal {
  const { serializer, path } = property;
  return { edm: serializer.edm, value: encodeOperand(serializer, value, path) };
}

function encodeOperand(
  serializer: PropertyModel["serializer"],
  value: unknown,
  path: PropertyPath,
): Literal["value"] {
  try {
    return serializer.encode(value, path);
  } catch (error) {
    if (!SerializationError.is(error)) throw error;
    throw wrongOperand(path.entity, path.property, `a value of ${serializer.name}`, value);
  }
}

function uniqueLiterals(property: PropertyModel, values: readonly unknown[]): unknown[] {
  const byText = new Map(
    values.map((value) => [
      String(property.serializer.rangeOf?.(value) ?? literalOf(property, value).value),
      value,
    ]),
  );
  return [...byText.values()];
}
