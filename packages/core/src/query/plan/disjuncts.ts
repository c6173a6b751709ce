import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { isList, type NormalNode } from "../build/predicate-node.ts";

/** Whether a property is (also) part of a key, or the source of a derived part. */
export const isOfKeys =
  ({ keyProperties, derivedParts }: EntityModel) =>
  (property: string): boolean =>
    keyProperties.some(({ name }) => name === property) ||
    derivedParts.some(({ part }) => part.property === property);

/**
 * The most alternatives; a predicate with more is planned by the conditions that all of its alternatives have in
 * common.
 */
const maxAlternatives = 256;

/**
 * The predicate as alternatives of conditions that must all hold, multiplied out only where a key part is concerned:
 * other disjunctions stay unchanged.
 *
 * @param isKeyPart - whether a property is part of a key
 */
export function disjuncts(
  node: NormalNode,
  isKeyPart: (property: string) => boolean,
): readonly (readonly NormalNode[])[] {
  if (!isList(node)) return [[node]];
  if (node.type === "or") {
    const branches = node.nodes.flatMap((child) => disjuncts(child, isKeyPart));
    if (!concernsKeys(node, isKeyPart)) return [[node]];
    return branches.length <= maxAlternatives ? branches : [[node, ...impliedLists(branches, isKeyPart)]];
  }
  let alternatives: readonly (readonly NormalNode[])[] = [[]];
  for (const child of node.nodes) {
    const branches = disjuncts(child, isKeyPart);
    const isTooMany = alternatives.length * branches.length > maxAlternatives;
    const added = isTooMany ? [[child]] : branches;
    alternatives = alternatives.flatMap((conditions) => added.map((branch) => [...conditions, ...branch]));
  }
  return alternatives;
}

/** `P in (…)` for each key part that every alternative lists values of: it holds if any of them does. */
function impliedLists(
  branches: readonly (readonly NormalNode[])[],
  isKeyPart: (property: string) => boolean,
): NormalNode[] {
  const listed = branches.map((conditions) => {
    const lists = new Map<string, readonly unknown[]>();
    for (const node of conditions) {
      if (node.type === "in") lists.set(node.property, node.values);
      if (node.type === "compare" && node.op === "eq") lists.set(node.property, [node.value]);
    }
    return lists;
  });
  const names = [...(listed[0]?.keys() ?? [])].filter(isKeyPart);
  return names
    .filter((property) => listed.every((lists) => lists.has(property)))
    .map((property) => ({
      type: "in",
      property,
      values: listed.flatMap((lists) => lists.get(property) ?? []),
    }));
}

function concernsKeys(node: NormalNode, isKeyPart: (property: string) => boolean): boolean {
  if (isList(node)) return node.nodes.some((child) => concernsKeys(child, isKeyPart));
  return isKeyPart(node.type === "not" ? node.node.property : node.property);
}
