import { QueryError } from "../../values/errors/query-error.ts";
import type { StoredValue } from "../../values/edm/stored-entity.ts";
import { inOrder } from "../../values/edm/edm-forms.ts";
import { type EntityModel, findProperty } from "../../model/declaration/entity-model.ts";
import type { Columns, EqualityColumn } from "./columns.ts";
import { notQueried } from "./queried-names.ts";

/** The properties of an entity that have an order. */
export type Sortable<Entity> = {
  [K in keyof Columns<Entity>]: Columns<Entity>[K] extends
    | { gt(value: never): unknown }
    | EqualityColumn<boolean>
    ? K
    : never;
}[keyof Columns<Entity>] &
  string;

/** The maximum number of entities that a sorted query without `take` may find. */
export const maxSorted = 10_000;

/** The order of a query that is sorted on the client. */
export interface Sort {
  readonly property: string;
  readonly direction: "asc" | "desc";
  /** Compares stored values, or the values of a part of a key. */
  readonly compare: (a: Comparable, b: Comparable) => number;
}

/** A stored value, or the value of a key part; times as ticks. */
export type Comparable = string | number | bigint | boolean;

/**
 * Checks an order.
 *
 * @throws QueryError `query.sort` for another direction, for a property without an order, and if its type differs
 *   between classes; `query.unknown-property`, `query.system-property`
 */
export function sortOf(
  models: readonly EntityModel[],
  entity: string,
  property: string,
  direction: unknown,
  former: Sort | undefined,
): Sort {
  if (former !== undefined)
    throw notSorted(entity, property, "is called a second time, and a query has one order");
  if (direction !== "asc" && direction !== "desc")
    throw notSorted(entity, property, 'takes "asc" or "desc" as its direction');
  if (typeof property !== "string")
    throw new QueryError("query.sort", 'sortBy() takes the name of a property: sortBy("rating", "desc").');
  const found = models.flatMap((model) => findProperty(model, property) ?? []);
  const [first] = found;
  if (first === undefined) throw notQueried(entity, property, models);
  const types = found.map((each) => ("serializer" in each ? each.serializer : undefined));
  if (types.some((type) => type?.isOpaque === true || (type?.comparison ?? "ordered") !== "ordered"))
    throw notSorted(entity, property, "cannot order its values: sort the result of toArray()");
  if (types.some((type) => type?.edm !== types[0]?.edm))
    throw notSorted(entity, property, "needs a property of the same type in each class");
  const [type] = types;
  const compare: Sort["compare"] = (a, b) =>
    type === undefined ? inOrder(a, b) : type.compare(a as StoredValue, b as StoredValue);
  return { property, direction, compare };
}

const notSorted = (entity: string, property: string, why: string): QueryError =>
  new QueryError("query.sort", `sortBy() on ${entity}.${property} ${why}.`, { entity, property });

/** The error for a method that sorted queries do not support. */
export const notWithSort = (method: string, remedy: string): QueryError =>
  new QueryError("query.sort", `${method} and sortBy() cannot be combined. ${remedy}`, { method });
