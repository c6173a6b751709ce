import type { StoredEntity } from "../edm/stored-entity.ts";
import { evaluateFilter, lookupIn } from "../filter/evaluate-filter.ts";
import type { FilterNode } from "../filter/filter-node.ts";
import { currentRow } from "../materialize/current-row.ts";
import type { EntityClass } from "../model/entity-definition.ts";
import { type EntityModel, findProperty, propertyNames } from "../model/entity-model.ts";
import { checkOperands } from "./check-operands.ts";
import { evaluatePredicate } from "./evaluate-predicate.ts";
import { normalize, type NormalNode, type PredicateNode } from "./predicate-node.ts";

/** Something that must hold: for every row of a query, or for those of one kind. */
export interface Condition {
  readonly node: PredicateNode;
  readonly kind?: EntityClass;
}

const normalized = new WeakMap<readonly Condition[], Map<EntityModel, NormalNode | undefined>>();

/** All conditions of a query in a model's terms; computed once per query and kind. */
export function predicateFor(model: EntityModel, conditions: readonly Condition[]): NormalNode | undefined {
  const byModel = normalized.get(conditions) ?? new Map<EntityModel, NormalNode | undefined>();
  normalized.set(conditions, byModel);
  if (!byModel.has(model)) {
    const isKeyPart = (name: string): boolean => {
      const property = findProperty(model, name);
      return property !== undefined && "key" in property;
    };
    const nodes = conditions
      .filter(({ kind }) => kind === undefined || isOf(model, kind))
      .map(({ node }) => node);
    const node = nodes.length === 0 ? undefined : normalize({ type: "and", nodes }, isKeyPart);
    if (node !== undefined) checkOperands(model, node);
    byModel.set(model, node);
  }
  return byModel.get(model);
}

const isOf = ({ entityClass }: EntityModel, kind: EntityClass): boolean =>
  entityClass === kind || entityClass.prototype instanceof kind;

/** Whether a row of this class satisfies all predicates of a query, and its raw filter. */
export function matches(
  model: EntityModel,
  conditions: readonly Condition[],
  raw: FilterNode | undefined,
  stored: StoredEntity,
): boolean {
  const predicate = predicateFor(model, conditions);
  if (predicate !== undefined && !evaluatePredicate(model, predicate, currentRow(model, stored)))
    return false;
  return raw === undefined || evaluateFilter(raw, lookupIn(stored));
}

/** The properties that every class of a query declares. */
export function commonNames(models: readonly EntityModel[]): readonly string[] {
  const [first, ...others] = models.map(propertyNames);
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)));
}
