// `plan-query.ts` calls this file for the PartitionKey and for each form of RowKey. It turns conditions on key parts
// into the text ranges that matching keys can have, from the first part to the first one that is not fixed.

import type { AnyDerivedFormat, SourceCondition } from "../../values/keys/derived-format.ts";
import type { AnyKeyFormat } from "../../values/keys/key-format.ts";
import { type KeyRange, keyRangeOfPart, keysStartingWith } from "../../values/keys/key-range.ts";
import { canPrecedeSeparator, type KeyPart, type KeyTemplate } from "../../values/keys/key-template.ts";
import type { RowForms } from "./row-forms.ts";
import { maxKeyLength, keyTextProblem } from "../../values/keys/key-rules.ts";
import {
  contains,
  everything,
  exactly,
  intersect,
  isEmpty,
  onlyText,
  startingWith,
  type TextRange,
} from "../../values/keys/text-range.ts";
import type { NormalNode, PredicateLeaf } from "../build/predicate-node.ts";
import { joinOverlapping } from "./merge-ranges.ts";

/** The ranges of one key that some conditions allow. */
export interface KeyRanges {
  /** Disjoint for one template; empty when the conditions contradict each other. */
  readonly ranges: readonly TextRange[];
  /** The conditions that the ranges decide exactly, so they need not be checked again. */
  readonly decided: readonly NormalNode[];
  /** The first property that would have narrowed the ranges further; undefined when the complete key is fixed. */
  readonly missing: string | undefined;
  /** Whether no condition narrows the ranges: together they are every key there can be. */
  readonly isComplete: boolean;
  /** Whether some condition narrows the ranges. */
  readonly isNarrowed: boolean;
}

const sourceOf = ({ parts }: KeyTemplate): string | undefined =>
  parts.find(({ isDerived }) => isDerived === true)?.property;

/** Key texts that one plan lists at most; of more, it reads the range from the least to the greatest. */
const maxPoints = 10_000;

/**
 * Turns conditions that must all hold into ranges of one key: equal leading parts become a prefix, `in` becomes one
 * prefix per value, and the first part with a range or without a condition ends the walk.
 *
 * @param isRanged - whether slices of time are wanted as a range instead of one by one
 */
export function planKeyRanges(
  template: KeyTemplate,
  conditions: readonly NormalNode[],
  isRanged: boolean = false,
): KeyRanges {
  const decided: NormalNode[] = [];
  let prefixes: readonly string[] = [""];
  let [isComplete, isSpread] = [true, false];
  const { parts, separator } = template;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as KeyPart;
    const isLast = index === parts.length - 1;
    const constraint = constraintOn(part, conditions.filter(isOn(part)), isRanged);
    if (constraint === "nothing")
      return { ranges: [], decided, missing: undefined, isComplete: false, isNarrowed: true };

    const { points, isNarrowed } = constraint;
    isComplete &&= !isNarrowed;
    isSpread ||= part.isDerived === true;
    if (points !== undefined && points.length * prefixes.length <= maxPoints) {
      if (part.isDerived !== true) decided.push(...constraint.leaves);
      prefixes = extend(prefixes, points, part, isLast ? undefined : separator);
      continue;
    }
    const range = points === undefined ? constraint.range : fromTo(points);
    const isOpen = range.lower === undefined && range.upper === undefined;
    const found = prefixes.map((prefix) =>
      isOpen
        ? { range: keysStartingWith(prefix), isExact: false }
        : withinLiteral(prefix, part, keyRangeOfPart(template, index, prefix, range)),
    );
    if (part.isDerived !== true && points === undefined && found.every(({ isExact }) => isExact))
      decided.push(...constraint.leaves);
    const missing = isNarrowed ? parts[index + 1]?.property : part.property;
    const ranges = found.map((each) => each.range).filter((each) => !isEmpty(each));
    return { ranges, decided, missing, isComplete, isNarrowed: !isComplete };
  }
  // Text that no key can have belongs to no row.
  const ranges = prefixes.filter(canBeKey).map(exactly);
  const isAll = isComplete && isSpread;
  const missing = isAll ? sourceOf(template) : undefined;
  return { ranges, decided, missing, isComplete: isAll, isNarrowed: !isComplete };
}

const isOn =
  ({ property }: KeyPart) =>
  (node: NormalNode): node is PredicateLeaf =>
    property !== undefined && "property" in node && node.property === property;

/** The ranges of RowKeys that some conditions allow, by every form of key the class's rows may have. */
export function planRows(
  { templates, isBase, mayReachIntoOthers }: RowForms,
  conditions: readonly NormalNode[],
): KeyRanges {
  const plans = templates.map((template) => planKeyRanges(template, conditions));
  const [first, another] = plans;
  const missing = plans.find((plan) => plan.missing !== undefined)?.missing;
  // One range for all kinds, unless there are conditions on their keys. In an index, all kinds share a prefix.
  if (first === undefined || (isBase && plans.every(({ isNarrowed }) => !isNarrowed)))
    return { ranges: [everything], decided: [], missing, isComplete: true, isNarrowed: false };
  if (another === undefined && !mayReachIntoOthers) return { ...first, isNarrowed: true };
  const all = plans.flatMap((plan) => plan.ranges);
  const ranges = joinOverlapping(all);
  // A range of one form may hold keys of another: "b!1" is greater than "b", and its first part is not.
  const isApart = ranges.length === all.length;
  const isDecided = (node: NormalNode): boolean =>
    (isApart || isOfValues(node) || isOfWidth(node, templates)) &&
    plans.every(({ decided }) => decided.includes(node));
  return {
    ranges,
    decided: mayReachIntoOthers ? [] : first.decided.filter(isDecided),
    missing,
    isComplete: plans.some(({ isComplete }) => isComplete),
    isNarrowed: true,
  };
}

/** A first part of one width ends at the same place in every form. */
const isOfWidth = (node: NormalNode, templates: readonly KeyTemplate[]): boolean =>
  templates.every(
    ({ parts: [part] }) => part !== undefined && part.format.width !== undefined && isOn(part)(node),
  );

const isOfValues = (node: NormalNode): boolean =>
  node.type === "in" || (node.type === "compare" && node.op === "eq");

/** A covering range may reach beyond the common prefix of all keys of the class. */
function withinLiteral(prefix: string, { format }: KeyPart, { range, isExact }: KeyRange): KeyRange {
  if (isExact || format.prefix === undefined) return { range, isExact };
  return { range: intersect(range, startingWith(prefix + format.prefix)) ?? range, isExact };
}

const fromTo = (points: readonly string[]): TextRange => ({
  lower: { text: points[0] as string, inclusive: true },
  upper: { text: points.at(-1) as string, inclusive: true },
});

interface PartConstraint {
  /** The only texts this part may have, in order; undefined when they are not listed. */
  readonly points: readonly string[] | undefined;
  readonly range: TextRange;
  readonly leaves: readonly NormalNode[];
  /** Whether the conditions leave out some of the texts that the format has. */
  readonly isNarrowed: boolean;
}

function constraintOn(
  { format, isDerived }: KeyPart,
  conditions: readonly PredicateLeaf[],
  isRanged: boolean,
): PartConstraint | "nothing" {
  if (isDerived === true) return derivedConstraint(format as AnyDerivedFormat, conditions, isRanged);
  let points: readonly string[] | undefined = format.literals?.toSorted(byCodeUnits);
  let range: TextRange = everything;
  const leaves: NormalNode[] = [];
  for (const node of conditions) {
    const listed = pointsOf(format, node);
    if (listed !== undefined) {
      points = points === undefined ? listed : points.filter((text) => listed.includes(text));
      leaves.push(node);
      continue;
    }
    const narrowed = rangeOf(format, node);
    if (narrowed === undefined) continue;
    const both = narrowed === "nothing" ? undefined : intersect(range, narrowed);
    if (both === undefined) return "nothing";
    range = both;
    leaves.push(node);
  }
  if (points !== undefined) points = points.filter((text) => contains(range, text));
  else if (onlyText(range) !== undefined) points = [onlyText(range) as string];
  // Text that the format never writes is no part of any key, though a longer text may begin with it.
  points = points?.filter((text) => format.decode(text) !== undefined);
  if (points?.length === 0) return "nothing";
  const isNarrowed = format.literal === undefined && (points !== undefined || !isEverything(range));
  // Other rows of the partition may not have the format's prefix.
  const own = format.prefix === undefined ? range : intersect(range, startingWith(format.prefix));
  return own === undefined ? "nothing" : { points, range: own, leaves, isNarrowed };
}

/** Whether every text lies in the range, even if its lower end is the empty text. */
const isEverything = ({ lower, upper }: TextRange): boolean =>
  upper === undefined && (lower === undefined || (lower.text === "" && lower.inclusive));

/** The constraint on a derived part from conditions on its source: a list of its texts, or a range that covers them. */
function derivedConstraint(
  format: AnyDerivedFormat,
  leaves: readonly PredicateLeaf[],
  isRanged: boolean,
): PartConstraint | "nothing" {
  const conditions = leaves.flatMap(sourceConditionOf);
  const points = isRanged && format.slices !== undefined ? undefined : format.texts(conditions);
  if (points?.length === 0) return "nothing";
  if (points !== undefined) {
    const isNarrowed = points.length !== format.texts([])?.length;
    return { points, range: everything, leaves, isNarrowed };
  }
  let range: TextRange = everything;
  for (const condition of conditions) {
    const narrowed =
      condition.op === "in" ? everything : (format.range(condition.op, condition.operand) ?? everything);
    const both = narrowed === "nothing" ? undefined : intersect(range, narrowed);
    if (both === undefined) return "nothing";
    range = both;
  }
  return { points, range, leaves, isNarrowed: !isEverything(range) };
}

/** A condition on the source of a derived part, in the format's terms. */
export function sourceConditionOf(leaf: PredicateLeaf): SourceCondition[] {
  if (leaf.type === "in") return [{ op: "in", operands: leaf.values }];
  return leaf.type === "compare" && leaf.op !== "ne" ? [{ op: leaf.op, operand: leaf.value }] : [];
}

/** The texts a condition lists one by one. */
function pointsOf(format: AnyKeyFormat, leaf: PredicateLeaf): string[] | undefined {
  if (leaf.type !== "in") return undefined;
  const texts = new Set<string>();
  for (const value of leaf.values) {
    const range = format.range("eq", value);
    if (range === "nothing") continue;
    const only = range && onlyText(range);
    // If equality with a value is a range (a Date in a key of ticks), the value is not a list of texts.
    if (only === undefined) return undefined;
    texts.add(only);
  }
  return [...texts].sort(byCodeUnits);
}

function rangeOf(format: AnyKeyFormat, leaf: PredicateLeaf): TextRange | "nothing" | undefined {
  switch (leaf.type) {
    case "compare":
      return leaf.op === "ne" ? undefined : format.range(leaf.op, leaf.value);
    case "startsWith":
      return format.range("startsWith", leaf.value);
    case "exists":
      return everything;
    case "in":
      return undefined;
    default:
      return leaf satisfies never;
  }
}

/** Prefixes with one more part; texts that could not be followed by the separator belong to no key. */
function extend(
  prefixes: readonly string[],
  points: readonly string[],
  part: KeyPart,
  separator: string | undefined,
): readonly string[] {
  const extended: string[] = [];
  for (const prefix of prefixes)
    for (const text of points)
      if (separator === undefined) extended.push(prefix + text);
      else if (canPrecedeSeparator(part, text, separator)) extended.push(prefix + text + separator);
  return extended;
}

/** Whether a complete key may be this text. */
const canBeKey = (text: string): boolean => text.length <= maxKeyLength && keyTextProblem(text) === undefined;

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
