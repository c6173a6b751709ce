import { currentRow } from "../../codec/current-row.ts";
import type { StoredEntity } from "../../edm/stored-entity.ts";
import { evaluateFilter, lookupIn } from "../../filter/evaluate-filter.ts";
import type { FilterNode } from "../../filter/filter-node.ts";
import type { EntityModel } from "../../model/entity-model.ts";
import type { Conditions } from "../plan/conditions.ts";
import { evaluatePredicate } from "./evaluate-predicate.ts";

/** Whether a row of this class satisfies all predicates of a query, and its raw filter. */
export function matches(
  model: EntityModel,
  conditions: Conditions,
  raw: FilterNode | undefined,
  stored: StoredEntity,
): boolean {
  const predicate = conditions.for(model);
  if (predicate !== undefined && !evaluatePredicate(model, predicate, currentRow(model, stored)))
    return false;
  return raw === undefined || evaluateFilter(raw, lookupIn(stored));
}
