import { isDerived } from "../../keys/derived-format.ts";
import { keyRangeOfPart, keysStartingWith } from "../../keys/key-range.ts";
import { canPrecedeSeparator, type KeyPart, type KeyTemplate } from "../../keys/key-template.ts";
import { everything, exactly, intersect, isEmpty, onlyText, type TextRange } from "../../keys/text-range.ts";
import type { RangeOperator } from "../../keys/key-format.ts";
import type { EntityModel } from "../../model/entity-model.ts";
import { kindsBelow } from "../../model/model-registry.ts";
import type { NormalNode, PredicateLeaf } from "../build/predicate-node.ts";
import type { RangeOfKind } from "./merge-ranges.ts";
import { canBeKey, isEverything } from "./plan-key-ranges.ts";
import type { PlannedKind } from "./query-plan.ts";

/** Shapes that are remembered for one class at most; those that were asked for last stay. */
const maxShapes = 64;

/** One range of keys, and the properties that would narrow it further. */
export interface BoundShape {
  readonly range: RangeOfKind;
  readonly missing: readonly string[];
}

/**
 * The keys of a query whose shape is known: which properties it compares and how, whatever it compares them with. Which
 * condition fixes which part of a key, and what keys do not say, follows from the shape; the operands are bound anew.
 *
 * @returns undefined for other shapes than comparisons that must all hold, for classes with kinds below them, and where
 *   the operands make the keys something else than one range that says the conditions exactly: planned in full, these
 *   have several ranges, a covering one, or none
 */
export function bindShape(kind: PlannedKind): BoundShape | undefined {
  const { model, predicate } = kind;
  const leaves = comparisonsOf(predicate);
  if (leaves === undefined) return undefined;
  // A kind may be declared after the shape was learned.
  if (model.kind === undefined && kindsBelow(model.entityClass).size > 0) return undefined;
  const shape = shapeOf(model, leaves);
  const partitionKey = shape.partition && bindKey(shape.partition, leaves);
  const rowKey = partitionKey && shape.row && bindKey(shape.row, leaves);
  if (partitionKey === undefined || rowKey === undefined) return undefined;
  const nodes = shape.rest.map((index) => leaves[index] as Comparison);
  const rest: NormalNode | undefined = nodes.length === 0 ? undefined : { type: "and", nodes };
  return { range: { bounds: { partitionKey, rowKey }, kind, rest }, missing: shape.missing };
}

type Comparison = Extract<PredicateLeaf, { readonly value: unknown }>;

/** Conditions that must all hold and have one operand each. */
function comparisonsOf(node: NormalNode | undefined): readonly Comparison[] | undefined {
  if (node === undefined) return undefined;
  if (isComparison(node)) return [node];
  return node.type === "and" && node.nodes.every(isComparison) ? node.nodes : undefined;
}

const isComparison = (node: NormalNode): node is Comparison =>
  node.type === "compare" || node.type === "startsWith";

const operatorOf = (leaf: Comparison): RangeOperator | "ne" =>
  leaf.type === "compare" ? leaf.op : "startsWith";

/** What follows from the properties and operators of a query. It holds no operand. */
interface KeyShape {
  readonly compared: readonly { readonly property: string; readonly operator: RangeOperator | "ne" }[];
  /** Undefined where a key is always planned in full. */
  readonly partition: BoundParts | undefined;
  readonly row: BoundParts | undefined;
  /** The conditions that the keys do not say, by their places. */
  readonly rest: readonly number[];
  readonly missing: readonly string[];
}

/** Which conditions say what of the parts of a key, by their places. */
interface BoundParts {
  readonly template: KeyTemplate;
  /** For each leading part that has one text: its only text, or the place of the condition that says it. */
  readonly fixed: readonly (string | number)[];
  /** The places of the conditions that narrow the part behind these. */
  readonly narrowing: readonly number[];
  readonly missing: string | undefined;
}

const shapesOfModels = new WeakMap<EntityModel, KeyShape[]>();

/** The shape of a query, found or learned; the one that was asked for last is looked at first. */
function shapeOf(model: EntityModel, leaves: readonly Comparison[]): KeyShape {
  let shapes = shapesOfModels.get(model);
  if (shapes === undefined) shapesOfModels.set(model, (shapes = []));
  const at = shapes.findIndex((shape) => isOfShape(leaves, shape));
  if (at === 0) return shapes[0] as KeyShape;
  const shape = at < 0 ? learnShape(model, leaves) : (shapes.splice(at, 1)[0] as KeyShape);
  if (shapes.length === maxShapes) shapes.pop();
  shapes.unshift(shape);
  return shape;
}

function isOfShape(leaves: readonly Comparison[], { compared }: KeyShape): boolean {
  if (leaves.length !== compared.length) return false;
  return compared.every(({ property, operator }, i) => {
    const leaf = leaves[i] as Comparison;
    return leaf.property === property && operatorOf(leaf) === operator;
  });
}

function learnShape(model: EntityModel, leaves: readonly Comparison[]): KeyShape {
  const compared = leaves.map((leaf) => ({ property: leaf.property, operator: operatorOf(leaf) }));
  const partition = boundParts(model.partitionKey, compared);
  // What reads partitions without end is not worth remembering, nor is a RowKey that says nothing.
  const isNarrowed = partition !== undefined && countUsed(partition) > 0;
  const row = model.rowKey.parts.length === 0 ? undefined : boundParts(model.rowKey, compared);
  const used = new Set([partition, row].flatMap((parts) => (parts ? placesIn(parts) : [])));
  const isListed = partition?.fixed.length === model.partitionKey.parts.length;
  const missing = isListed ? undefined : partition?.missing;
  return {
    compared,
    partition: isNarrowed ? partition : undefined,
    row,
    rest: [...compared.keys()].filter((place) => !used.has(place)),
    missing: missing === undefined ? [] : [missing],
  };
}

const placesIn = ({ fixed, narrowing }: BoundParts): readonly number[] => [
  ...fixed.filter((place) => typeof place === "number"),
  ...narrowing,
];

const countUsed = (parts: BoundParts): number => placesIn(parts).length;

/** Follows the parts of a key to the first that no condition fixes, as planning in full does. */
function boundParts(template: KeyTemplate, compared: KeyShape["compared"]): BoundParts | undefined {
  const fixed: (string | number)[] = [];
  for (const [index, part] of template.parts.entries()) {
    const text = onlyTextOf(part);
    if (text !== undefined) {
      fixed.push(text);
      continue;
    }
    if (!isPlain(part)) return undefined;
    const places = [...compared.keys()].filter((place) => compared[place]?.property === part.property);
    const operators = places.map((place) => compared[place]?.operator);
    if (operators.length === 1 && operators[0] === "eq") {
      fixed.push(places[0] as number);
      continue;
    }
    if (operators.includes("eq") || operators.includes("ne")) return undefined;
    const missing = places.length > 0 ? template.parts[index + 1]?.property : part.property;
    return { template, fixed, narrowing: places, missing };
  }
  return { template, fixed, narrowing: [], missing: undefined };
}

/** The text of a part that is the same in every key. */
function onlyTextOf({ property, format, isDerived: holdsLess }: KeyPart): string | undefined {
  if (property !== undefined || holdsLess === true || isDerived(format)) return undefined;
  const [text, other] = format.literals ?? [];
  return text === undefined || other !== undefined || format.decode(text) === undefined ? undefined : text;
}

/** Whether a part has a text for each value of one property, and can begin with anything. */
const isPlain = ({ property, format, isDerived: holdsLess }: KeyPart): boolean =>
  property !== undefined &&
  holdsLess !== true &&
  !isDerived(format) &&
  format.literals === undefined &&
  format.literal === undefined &&
  format.prefix === undefined;

function bindKey(
  { template, fixed, narrowing }: BoundParts,
  leaves: readonly Comparison[],
): TextRange | undefined {
  const { parts, separator } = template;
  let prefix = "";
  for (const [index, place] of fixed.entries()) {
    const part = parts[index] as KeyPart;
    const text = typeof place === "string" ? place : textOf(part, leaves[place] as Comparison);
    if (text === undefined) return undefined;
    if (index === parts.length - 1) return canBeKey(prefix + text) ? exactly(prefix + text) : undefined;
    if (!canPrecedeSeparator(part, text, separator)) return undefined;
    prefix += text + separator;
  }
  if (narrowing.length === 0) return keysStartingWith(prefix);
  const range = rangeOf(parts[fixed.length] as KeyPart, narrowing, leaves);
  if (range === undefined) return undefined;
  const found = keyRangeOfPart(template, fixed.length, prefix, range);
  return found.isExact && !isEmpty(found.range) ? found.range : undefined;
}

/** The only text that a part of the key has for a value; undefined where there is none, or are several. */
function textOf({ format }: KeyPart, { value }: Comparison): string | undefined {
  const range = format.range("eq", value);
  const text = range === undefined || range === "nothing" ? undefined : onlyText(range);
  return text === undefined || format.decode(text) === undefined ? undefined : text;
}

/** What conditions leave of a part; undefined for nothing, everything, one text, or where one of them says nothing. */
function rangeOf(
  { format }: KeyPart,
  places: readonly number[],
  leaves: readonly Comparison[],
): TextRange | undefined {
  let range: TextRange = everything;
  for (const place of places) {
    const leaf = leaves[place] as Comparison;
    const narrowed = format.range(operatorOf(leaf) as RangeOperator, leaf.value);
    if (narrowed === undefined || narrowed === "nothing") return undefined;
    const both = intersect(range, narrowed);
    if (both === undefined) return undefined;
    range = both;
  }
  return isEverything(range) || onlyText(range) !== undefined ? undefined : range;
}
