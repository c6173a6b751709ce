import type { KeyBounds } from "../../values/filter/key-bounds.ts";
import { everything, type TextBound, type TextRange } from "../../values/keys/text-range.ts";
import { type KindChooser, kindChooser } from "../../model/codec/choose-kind.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { kindsBelow } from "../../model/declaration/model-registry.ts";
import type { Inclusion } from "../build/inclusion.ts";
import type { RangeOfKind } from "./merge-ranges.ts";
import { isList, type NormalNode } from "../build/predicate-node.ts";
import type { PlannedKind } from "./query-plan.ts";

/** The classes that a query with children reads. */
export const familyChooser = ({ parent, lists }: Inclusion): KindChooser =>
  kindChooser([parent.entityClass, ...lists.map(({ child }) => child.entityClass)]);

/** Classes, and the kinds below each: their entities are those of the classes as well. */
export const withKindsBelow = (models: readonly EntityModel[]): readonly EntityModel[] => [
  ...new Set(models.flatMap((model) => [model, ...kindsBelow(model.entityClass).values()])),
];

/** The part of a predicate that is about these properties alone; undefined if there is none. */
export function conditionsOn(
  node: NormalNode | undefined,
  isOf: (property: string) => boolean,
): NormalNode | undefined {
  if (node === undefined) return undefined;
  if (!isList(node)) return isOf(node.type === "not" ? node.node.property : node.property) ? node : undefined;
  const snapshotValue = node.nodes.map((child) => conditionsOn(child, isOf));
  const nodes = snapshotValue.filter((child): child is NormalNode => child !== undefined);
  // An alternative with other conditions may hold for any key.
  if (nodes.length === 0 || (node.type === "or" && nodes.length < snapshotValue.length)) return undefined;
  return { type: node.type, nodes };
}

/**
 * Ranges that hold parents and their children together: a parent's key, and all that follow from it, is one range.
 *
 * @param members - where parents are, and where, by the same conditions, the children of each list are
 */
export function familyRanges(
  members: readonly (readonly RangeOfKind[])[],
  kinds: readonly PlannedKind[],
): RangeOfKind[] {
  const [parents = [], ...children] = members;
  const isPaired = children.every(({ length }) => length === parents.length);
  const bounds = isPaired
    ? parents.map((_, i) => members.map((ranges) => (ranges[i] as RangeOfKind).bounds).reduce(hull))
    : [
        members
          .flat()
          .map((each) => each.bounds)
          .reduce(hull),
      ];
  return bounds.flatMap((each) => kinds.map((kind) => ({ bounds: each, kind, rest: undefined })));
}

function hull(a: KeyBounds, b: KeyBounds): KeyBounds {
  const partitionKey = hullOf(a.partitionKey, b.partitionKey);
  const isSame = JSON.stringify(a.partitionKey) === JSON.stringify(b.partitionKey);
  return { partitionKey, rowKey: isSame ? hullOf(a.rowKey, b.rowKey) : everything };
}

function hullOf(a: TextRange, b: TextRange): TextRange {
  const lower = outer(a.lower, b.lower, -1);
  const upper = outer(a.upper, b.upper, 1);
  return { ...(lower && { lower }), ...(upper && { upper }) };
}

/** The bound that lets more through; an open one lets everything. */
function outer(a: TextBound | undefined, b: TextBound | undefined, side: 1 | -1): TextBound | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a.text === b.text) return a.inclusive ? a : b;
  return a.text > b.text === (side === 1) ? a : b;
}
