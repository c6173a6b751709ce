import type { UndeclaredPolicy } from "../../model/declaration/undeclared-policy.ts";
import { checkChildren } from "../unit-of-work/check-undeclared.ts";
import type { IdentityMap } from "../unit-of-work/identity-map.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { refused } from "../recovery/unsent-results.ts";

/**
 * Finds parents whose lists have children that were never added, whether the parent itself is changed or not.
 *
 * @param parents - those to look at; others than parents are passed over
 */
export function parentsWithLostChildren(
  entities: IdentityMap,
  parents: Iterable<TrackedEntity>,
  undeclared: UndeclaredPolicy,
): SaveResult[] {
  const isTracked = (child: object): boolean => entities.ofEntity(child) !== undefined;
  return [...parents].flatMap((entry) => {
    if (entry.intent.type === "remove" || entry.model.children.length === 0) return [];
    try {
      checkChildren(entry, undeclared, isTracked);
      return [];
    } catch (error) {
      return [refused(entry, error as Error)];
    }
  });
}
