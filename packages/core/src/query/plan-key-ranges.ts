import type { AnyKeyFormat } from "../keys/key-format.ts";
import { keyRangeOfPart, keysStartingWith } from "../keys/key-range.ts";
import { canPrecedeSeparator, type KeyPart, type KeyTemplate } from "../keys/key-template.ts";
import { maxKeyLength, keyTextProblem } from "../keys/key-rules.ts";
import {
  contains,
  everything,
  exactly,
  intersect,
  isEmpty,
  onlyText,
  type TextRange,
} from "../keys/text-range.ts";
import type { NormalNode, PredicateLeaf } from "./predicate-node.ts";

/** The ranges of one key that some conditions allow. */
export interface KeyRanges {
  /** Disjoint for one template; empty when the conditions contradict each other. */
  readonly ranges: readonly TextRange[];
  /** The conditions that the ranges say exactly, so that nobody needs to check them again. */
  readonly decided: ReadonlySet<NormalNode>;
  /** The first property that would have narrowed the ranges further; undefined when the whole key is fixed. */
  readonly missing: string | undefined;
}

/** Key texts that one plan lists at most, before it falls back to a covering range. */
const maxPoints = 10_000;

/**
 * Turns conditions that must all hold into ranges of one key: equal leading parts become a prefix, `in` becomes one
 * prefix per value, and the first part with a range or without a condition ends the walk.
 */
export function planKeyRanges(template: KeyTemplate, conditions: readonly NormalNode[]): KeyRanges {
  const decided = new Set<NormalNode>();
  let prefixes: readonly string[] = [""];
  for (const [index, part] of template.parts.entries()) {
    const isLast = index === template.parts.length - 1;
    const constraint = constraintOn(part, conditions);
    if (constraint === "nothing") return { ranges: [], decided, missing: undefined };

    const { points } = constraint;
    if (points !== undefined && points.length * prefixes.length <= maxPoints) {
      for (const leaf of constraint.leaves) decided.add(leaf);
      prefixes = extend(prefixes, points, part, isLast ? undefined : template.separator);
      continue;
    }
    const range = points === undefined ? constraint.range : everything;
    const isOpen = range.lower === undefined && range.upper === undefined;
    const found = prefixes.map((prefix) =>
      isOpen
        ? { range: keysStartingWith(prefix), isExact: false }
        : keyRangeOfPart(template, index, prefix, range),
    );
    if (found.every(({ isExact }) => isExact)) for (const leaf of constraint.leaves) decided.add(leaf);
    const missing = isOpen ? part.property : template.parts[index + 1]?.property;
    const ranges = found.map((each) => each.range).filter((each) => !isEmpty(each));
    return { ranges, decided, missing };
  }
  // Text that no key can have belongs to no row.
  return { ranges: prefixes.filter(canBeKey).map(exactly), decided, missing: undefined };
}

interface PartConstraint {
  /** The only texts this part may have; undefined when they are not listed. */
  readonly points: readonly string[] | undefined;
  readonly range: TextRange;
  readonly leaves: readonly NormalNode[];
}

function constraintOn(
  { property, format }: KeyPart,
  conditions: readonly NormalNode[],
): PartConstraint | "nothing" {
  let points: readonly string[] | undefined = format.literal === undefined ? undefined : [format.literal];
  let range: TextRange = everything;
  const leaves: NormalNode[] = [];
  for (const node of conditions) {
    if (property === undefined || !("property" in node) || node.property !== property) continue;
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
  return points?.length === 0 ? "nothing" : { points, range, leaves };
}

/** The texts a condition lists one by one. */
function pointsOf(format: AnyKeyFormat, leaf: PredicateLeaf): string[] | undefined {
  if (leaf.type !== "in") return undefined;
  const texts = new Set<string>();
  for (const value of leaf.values) {
    const range = format.range("eq", value);
    if (range === "nothing") continue;
    const only = range && onlyText(range);
    // A value whose equality is a range (a Date in a key of ticks) is not a list of texts.
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
  const usable =
    separator === undefined ? points : points.filter((text) => canPrecedeSeparator(part, text, separator));
  return prefixes.flatMap((prefix) => usable.map((text) => prefix + text + (separator ?? "")));
}

const canBeKey = (text: string): boolean => text.length <= maxKeyLength && keyTextProblem(text) === undefined;

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
