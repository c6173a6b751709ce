import { QueryError } from "../errors/query-error.ts";

/** The error of `single()` for none, or for several. */
export function notSingle(entity: string, isSeveral: boolean): QueryError {
  return isSeveral
    ? new QueryError(
        "query.several-found",
        `single() found more than one ${entity}. Narrow the query by its whole key, or use first() or toArray().`,
        { entity },
      )
    : new QueryError(
        "query.none-found",
        `single() found no ${entity}. Use first() where there may be none: it gives undefined.`,
        { entity },
      );
}

/** The error for what a query with children cannot do. */
export const notWithInclude = (why: string): QueryError =>
  new QueryError("query.include", `${why}: ask for the children apart, by query([Parent, Child]).`);

/** The error of `whereKind()` for a class that the query does not ask for. */
export const notOfQuery = (kind: string, query: string): QueryError =>
  new QueryError(
    "query.not-of-query",
    `whereKind(${kind}) narrows a kind that this query over ${query} does not ask for.`,
    { entity: kind },
  );

/** The error of `filter()` for anything but a filter. */
export const notAFilter = (): QueryError =>
  new QueryError(
    "query.not-a-filter",
    "filter() takes odata`…`. For conditions on declared properties, use where().",
  );

/** The error of `updateAll()` without a function. */
export const notAChange = (): QueryError =>
  new QueryError("query.change", "updateAll(change) takes a function that changes the entity it is given.");
