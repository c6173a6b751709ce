import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { type Columns, columnsOf, equalities, type EqualTo } from "./columns.ts";
import {
  type BuiltPredicate,
  type NotAPredicate,
  notAPredicate,
  predicateOf,
  type PredicateResult,
} from "./predicate.ts";
import type { PredicateNode } from "./predicate-node.ts";

/** The predicates of a condition on the common properties of these classes. */
export function nodesOf<Entity>(
  condition: ((columns: Columns<Entity>) => PredicateResult | NotAPredicate) | EqualTo<Entity>,
  models: readonly EntityModel[],
  name: string,
): readonly PredicateNode[] {
  if (typeof condition === "object" && condition !== null) return equalities(name, models, condition);
  if (typeof condition !== "function") throw notAPredicate(condition, "where()");
  const scope = new Set<BuiltPredicate>();
  const columns = columnsOf(name, models, scope) as Columns<Entity>;
  return [predicateOf(condition(columns), scope)];
}
