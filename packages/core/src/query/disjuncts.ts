import { isList, type NormalNode } from "./predicate-node.ts";

/** Alternatives at most; a predicate with more is planned by its other conditions. */
const maxAlternatives = 64;

/**
 * The predicate as alternatives of conditions that must all hold, multiplied out only where a key part is concerned:
 * other disjunctions stay whole.
 *
 * @param isKeyPart - tells the properties that keys are made of
 */
export function disjuncts(
  node: NormalNode,
  isKeyPart: (property: string) => boolean,
): readonly (readonly NormalNode[])[] {
  if (!isList(node)) return [[node]];
  if (node.type === "or") {
    const branches = node.nodes.flatMap((child) => disjuncts(child, isKeyPart));
    return concernsKeys(node, isKeyPart) && branches.length <= maxAlternatives ? branches : [[node]];
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

function concernsKeys(node: NormalNode, isKeyPart: (property: string) => boolean): boolean {
  if (isList(node)) return node.nodes.some((child) => concernsKeys(child, isKeyPart));
  return isKeyPart(node.type === "not" ? node.node.property : node.property);
}
