// `lower-predicate.ts` calls this file for conditions on properties that a step with a function made. Its way back says which
// older rows to request, if the step is declared exact.

import { QueryError } from "../../values/errors/query-error.ts";
import type { StoredValue } from "../../values/edm/stored-entity.ts";
import { allOf, type FilterNode } from "../../values/filter/filter-node.ts";
import type { EntityModel, PropertyModel } from "../../model/declaration/entity-model.ts";
import { type ExactOrigin, type PropertyTrace, traceProperty } from "../../model/upgrade/trace-property.ts";
import { olderValues } from "../../model/upgrade/older-values.ts";
import type { UpgradeChain } from "../../model/upgrade/upgrade-chain.ts";
import type { PredicateLeaf } from "../build/predicate-node.ts";
import { widened } from "./former-versions.ts";

/** The filter of one condition. */
type FilterOf = (property: PropertyModel, leaf: PredicateLeaf) => FilterNode | undefined;

/**
 * A condition with `eq` or `in` on what rows have that need a conversion, by its way back; undefined where that does not say which rows
 * to request.
 */
export function olderConditions(
  model: EntityModel,
  property: PropertyModel,
  { exact }: PropertyTrace,
  leaf: PredicateLeaf,
  filterOf: FilterOf,
): FilterNode | undefined {
  const values =
    leaf.type === "in" ? leaf.values : leaf.type === "compare" && leaf.op === "eq" ? [leaf.value] : [];
  if (exact === undefined || values.length === 0) return undefined;
  try {
    const nodes = values.map((value) => allOrNone(olderEquals(model, property, exact, value, filterOf)));
    return nodes.includes(undefined) ? undefined : { op: "or", nodes: nodes as FilterNode[] };
  } catch (error) {
    // The older version has no such value.
    if (QueryError.is(error)) return undefined;
    throw error;
  }
}

/** The conditions on the older properties that one value was converted from. */
function olderEquals(
  model: EntityModel,
  property: PropertyModel,
  { step, version }: ExactOrigin,
  value: unknown,
  filterOf: FilterOf,
): (FilterNode | undefined)[] {
  const chain = model.version?.chain as UpgradeChain;
  const older = { ...chain, version: version - 1, oldest: Math.min(chain.oldest, version - 1) };
  const values = olderValues(step, value);
  // A value that the way back does not take has no older ones.
  if (values === undefined) return [undefined];
  return Object.entries(values).map(([storedName, each]) => {
    const type = older.shapes[version - 2]?.[storedName];
    if (type === undefined || each === undefined || each === null || type.otherTypes.length > 0)
      return undefined;
    const { serializer, presence, defaultValue } = type;
    const defaultStored = (): StoredValue | undefined =>
      presence === "default" ? serializer.encode(defaultValue, property.path) : undefined;
    const formerly: PropertyModel = { ...property, storedName, serializer, defaultStored };
    const leaf = { type: "compare", property: property.name, op: "eq", value: each } as const;
    const filter = filterOf(formerly, leaf);
    const trace = traceProperty(older, storedName);
    if (filter === undefined || trace === undefined) return filter;
    const under = (name: string): FilterNode =>
      filterOf({ ...formerly, storedName: name }, leaf) as FilterNode;
    const further = trace.exact && allOrNone(olderEquals(model, property, trace.exact, each, filterOf));
    return widened(model, formerly, trace, filter, under, further);
  });
}

const allOrNone = (nodes: readonly (FilterNode | undefined)[]): FilterNode | undefined =>
  nodes.includes(undefined) ? undefined : allOf(nodes as FilterNode[]);
