import { type KindChooser, kindChooser } from "../../model/codec/choose-kind.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { kindsBelow } from "../../model/declaration/model-registry.ts";
import type { Inclusion } from "../build/inclusion.ts";
import { type RangeOfKind, union } from "./merge-ranges.ts";
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
    ? parents.map((_, i) => members.map((ranges) => (ranges[i] as RangeOfKind).bounds).reduce(union))
    : [
        members
          .flat()
          .map((each) => each.bounds)
          .reduce(union),
      ];
  return bounds.flatMap((each) => kinds.map((kind) => ({ bounds: each, kind, rest: undefined })));
}
