import { edmTypeOf, type StoredEntity } from "../../values/edm/stored-entity.ts";
import { evaluateFilter } from "../../values/filter/evaluate-filter.ts";
import { isTextLiteral, type Literal } from "../../values/filter/filter-node.ts";
import { splitKey } from "../../values/keys/key-template.ts";
import { contains } from "../../values/keys/text-range.ts";
import { spanOf } from "../../values/keys/time-order.ts";
import type { RangeOperator } from "../../values/keys/key-format.ts";
import type { EntityModel, KeyProperty, PropertyModel } from "../../model/declaration/entity-model.ts";
import { comparisonNode, defaultLiteral, prefixNode } from "../plan/lower-predicate.ts";
import type { NormalNode, PredicateLeaf } from "../build/predicate-node.ts";

/**
 * Whether a stored entity satisfies a predicate. Called for the parts of a query's conditions that keys and the
 * filter of storage could not decide. Absent values compare false; a declared default counts as the value.
 */
export function evaluatePredicate(model: EntityModel, node: NormalNode, stored: StoredEntity): boolean {
  switch (node.type) {
    case "and":
      return node.nodes.every((child) => evaluatePredicate(model, child, stored));
    case "or":
      return node.nodes.some((child) => evaluatePredicate(model, child, stored));
    case "not":
      return !evaluateLeaf(model, node.node, stored);
    case "compare":
    case "in":
    case "startsWith":
    case "exists":
      return evaluateLeaf(model, node, stored);
    default:
      return node satisfies never;
  }
}

function evaluateLeaf(model: EntityModel, leaf: PredicateLeaf, stored: StoredEntity): boolean {
  const part = model.keyProperties.find((p) => p.name === leaf.property);
  if (part !== undefined) return evaluateKeyPart(model, part, leaf, stored);
  const property = model.properties.find((p) => p.name === leaf.property);
  return property !== undefined && evaluateProperty(property, leaf, stored);
}

/** A key part satisfies a comparison when its text is in the format's range for it. */
function evaluateKeyPart(
  model: EntityModel,
  part: KeyProperty,
  leaf: PredicateLeaf,
  stored: StoredEntity,
): boolean {
  const template = part.key === "PartitionKey" ? model.partitionKey : model.rowKey;
  const text = splitKey(template, stored[part.key])?.[part.index];
  const format = template.parts[part.index]?.format;
  if (text === undefined || format === undefined) return false;
  const matches = (operator: RangeOperator, operand: unknown): boolean => {
    const range = format.range(operator, operand);
    if (range === undefined) return compareDecoded(format.decode(text), operator, operand);
    return range !== "nothing" && contains(range, text);
  };
  switch (leaf.type) {
    case "exists":
      return true;
    case "in":
      return leaf.values.some((value) => matches("eq", value));
    case "startsWith":
      return matches("startsWith", leaf.value);
    case "compare":
      return leaf.op === "ne" ? !matches("eq", leaf.value) : matches(leaf.op, leaf.value);
    default:
      return leaf satisfies never;
  }
}

/** For comparisons that a format cannot turn into a range of its text, such as beginnings of a descending one. */
function compareDecoded(value: unknown, operator: RangeOperator, operand: unknown): boolean {
  if (operator === "startsWith") return typeof value === "string" && value.startsWith(String(operand));
  const [first, last] = spanOf(operand) ?? [operand, operand];
  const [found] = spanOf(value) ?? [value];
  if (typeof found !== typeof first) return false;
  const [a, low, high] = [found, first, last] as [string, string, string];
  switch (operator) {
    case "eq":
      return a >= low && a <= high;
    case "gt":
      return a > high;
    case "ge":
      return a >= low;
    case "lt":
      return a < low;
    case "le":
      return a <= high;
    default:
      return operator satisfies never;
  }
}

function evaluateProperty(property: PropertyModel, leaf: PredicateLeaf, stored: StoredEntity): boolean {
  const found = valueOf(property, stored);
  if (found === undefined) return false;
  const lookup = (): Literal => found;
  switch (leaf.type) {
    case "exists":
      return true;
    case "in":
      return leaf.values.some((value) => evaluateFilter(comparisonNode(property, "eq", value), lookup));
    case "startsWith":
      return isTextLiteral(found) && evaluateFilter(prefixNode(property, leaf.value), lookup);
    case "compare":
      return evaluateFilter(comparisonNode(property, leaf.op, leaf.value), lookup);
    default:
      return leaf satisfies never;
  }
}

/** The stored value with its type, read as the declared type where old rows have another one. */
export function valueOf(property: PropertyModel, stored: StoredEntity): Literal | undefined {
  const value = stored[property.storedName];
  if (value === undefined) return defaultLiteral(property);
  const annotation = stored[property.annotationName];
  const { serializer, path } = property;
  const edm = edmTypeOf(value, annotation);
  if (edm === serializer.widens?.edm) return { edm: serializer.edm, value: serializer.parse(value) ?? value };
  if (edm === serializer.edm || !property.isStoredAsOther) return { edm, value };
  return { edm: serializer.edm, value: serializer.encode(serializer.decode(value, annotation, path), path) };
}
