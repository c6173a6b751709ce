import type { UndeclaredPolicy } from "../model/undeclared-policy.ts";
import { checkChildren } from "../unit-of-work/check-undeclared.ts";
import type { IdentityMap } from "../unit-of-work/identity-map.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { refused } from "./unsent-results.ts";

/** Parents whose lists have children that nobody added, whether the parent itself is saved or not. */
export function parentsWithLostChildren(entities: IdentityMap, undeclared: UndeclaredPolicy): SaveResult[] {
  const isTracked = (child: object): boolean => entities.ofEntity(child) !== undefined;
  return entities.parents().flatMap((entry) => {
    if (entry.intent.type === "remove") return [];
    try {
      checkChildren(entry, undeclared, isTracked);
      return [];
    } catch (error) {
      return [refused(entry, error as Error)];
    }
  });
}
