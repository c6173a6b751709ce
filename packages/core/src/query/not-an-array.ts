import { QueryError } from "../values/errors/query-error.ts";

/** What programs read from the result of a query, but not from a query. */
const ofResults = ["0", "length", "map", "forEach", "find", "some", "every", "reduce", "slice", "toJSON"];

/**
 * Lets a query that is taken for its result say so, instead of being undefined there: `(await query).length`.
 *
 * A `then` method would catch the `await` itself. But an asynchronous function that returns a query calls `then` as
 * well, and may do so: its caller goes on with the query.
 */
export function refuseAsArray(prototype: object): void {
  for (const name of [...ofResults, Symbol.iterator])
    Object.defineProperty(prototype, name, {
      get(): never {
        throw notAnArray(name);
      },
    });
}

const notAnArray = (name: string | symbol): QueryError =>
  new QueryError(
    "query.not-an-array",
    `A query ${typeof name === "symbol" ? "cannot be iterated with for…of" : name === "toJSON" ? "cannot be written as JSON" : `has no ${name}`}: it is no array, and await alone does not read it. Write await query.toArray(), or for await (const entity of query).`,
  );
