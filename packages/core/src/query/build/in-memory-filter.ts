import { isPromise } from "../../values/errors/built-ins.ts";
import { QueryError } from "../../values/errors/query-error.ts";
import { type EntityModel, memberNameOf } from "../../model/declaration/entity-model.ts";
import type { Projection } from "./projection.ts";

/** A function that filters entities on the client. */
export type InMemoryFilter = (entity: object) => boolean;

/**
 * Whether all filters accept an entity.
 *
 * @param copy - an instance made from the stored row, which is not tracked
 * @throws QueryError `query.filter-of-part` if a filter reads a property that the query does not select;
 *   `query.filter-in-memory` for an asynchronous filter
 */
export function passesAll(
  filters: readonly InMemoryFilter[],
  copy: object,
  model: EntityModel,
  projection: Projection | undefined,
): boolean {
  if (projection !== undefined)
    for (const name of new Set(model.properties.map(memberNameOf)))
      if (!projection.names.has(name)) refuseToRead(copy, name, model.name);
  return filters.every((filter) => {
    const result: unknown = filter(copy);
    if (isPromise(result)) throw asynchronous(model.name);
    return Boolean(result);
  });
}

/** An absent value could mean that the row has none. */
function refuseToRead(copy: object, property: string, entity: string): void {
  const get = (): never => {
    throw new QueryError(
      "query.filter-of-part",
      `filterInMemory() reads ${entity}.${property}, which select() leaves out. Select it as well, or leave out select().`,
      { entity, property },
    );
  };
  Object.defineProperty(copy, property, { get, enumerable: false, configurable: true });
}

/** The error of `filterInMemory()` for a value that is not a function. */
export const notAFunction = (entity: string): QueryError =>
  new QueryError(
    "query.filter-in-memory",
    `filterInMemory() on ${entity} takes a function of an entity that returns true or false.`,
    { entity },
  );

const asynchronous = (entity: string): QueryError =>
  new QueryError(
    "query.filter-in-memory",
    `The function of filterInMemory() on ${entity} returned a promise, which counts as true. Filter the result of toArray() instead.`,
    { entity },
  );
