import type { KindChooser } from "../model/codec/choose-kind.ts";
import { ownedListsOf, ownsLists } from "../model/declaration/owned-model.ts";
import { QueryError } from "../values/errors/query-error.ts";
import { describeType } from "../values/errors/serialization-error.ts";

/** The error of `single()` for none, or for several. */
export function notSingle(entity: string, isSeveral: boolean): QueryError {
  return isSeveral
    ? new QueryError(
        "query.several-found",
        `single() found more than one ${entity}. Narrow the query by its complete key, or use first() or toArray().`,
        { entity },
      )
    : new QueryError(
        "query.none-found",
        `single() found no ${entity}. If there may be none, use first(): it returns undefined.`,
        { entity },
      );
}

/** The error for a method that a query with children does not support. */
export const notWithInclude = (why: string): QueryError =>
  new QueryError("query.include", `${why}. Query the children separately, with query([Parent, Child]).`);

/** @throws QueryError `query.owned-list` for entities with lists, if the query would not delete the members */
export function checkListsIncluded({ models, kinds }: KindChooser): void {
  const all = [...models, ...kinds];
  for (const model of all)
    for (const { property, child } of ownsLists(model) ? ownedListsOf(model) : [])
      if (!all.includes(child))
        throw new QueryError(
          "query.owned-list",
          `removeAll() would not delete the ${property} of each ${model.name}. Query all of these kinds, with their base class or query([${model.name}, ${child.name}]), or read each ${model.name} and call removeFamily().`,
          { entity: model.name, property },
        );
}

/** The error of `whereKind()` for a class that is not part of the query. */
export const notOfQuery = (kind: string, query: string): QueryError =>
  new QueryError(
    "query.not-of-query",
    `whereKind(${kind}) narrows a kind that is not part of this query over ${query}.`,
    { entity: kind },
  );

/** The error of `filter()` for a value that is not a filter. */
export const notAFilter = (given: unknown): QueryError =>
  new QueryError(
    "query.not-a-filter",
    `filter() takes odata\`…\`, but got ${describeType(given)}. For conditions on declared properties, use where(); for a function that runs on the client, filterInMemory().`,
  );

/** The error of `where()` for several arguments, since it would ignore all but the first. */
export const notOneCondition = (): QueryError =>
  new QueryError(
    "query.not-a-predicate",
    "where() takes one condition, but got several arguments. Write where({ channel, rating }), where((b) => [b.channel.eq(channel), b.rating.ge(3)]), or call where() again.",
  );

/** The error of `context.query()` for several arguments, since it would ignore all but the first. */
export const notOneClass = (): QueryError =>
  new QueryError(
    "query.option",
    "query() takes a class, or a list of classes that share a table, and nothing else. Write query(Blog).where({ channel }), or query([Post, Comment]).",
  );

/** The error of `include()` for a value that is not a function. */
export const notAList = (given: unknown): QueryError =>
  new QueryError(
    "query.include",
    `include() takes a function that names the list, but got ${describeType(given)}. Write include((each) => each.lines).`,
  );

/** The error of `inRowKeyOrder()` if the partitions to merge are not listed. */
export function notMergeable(entity: string, properties: readonly string[]): QueryError {
  const names = properties.join(", ");
  return new QueryError(
    "query.order-unbounded",
    `inRowKeyOrder() merges listed partitions, but this query over ${entity} reads a range of partitions. ` +
      `Compare ${names} in where() by eq or in; slices need both ends of a range, of at most 64 slices. Or leave out inRowKeyOrder().`,
    { entity, properties },
  );
}

/** The error of `inRowKeyOrder()` for more partitions than one merge supports. */
export const tooManyToMerge = (entity: string, partitions: number, most: number): QueryError =>
  new QueryError(
    "query.order-too-many",
    `inRowKeyOrder() merges ${most} partitions at most, and this query over ${entity} reads ${partitions}. Narrow its PartitionKey in where(), or leave out inRowKeyOrder().`,
    { entity, partitions },
  );

/** The error of a call that needs an order, over a store without one. */
export const notInOrder = (entity: string, call: string = "inRowKeyOrder()"): QueryError =>
  new QueryError(
    "query.order-not-promised",
    `${call} needs a store that returns pages in key order, but Cosmos DB guarantees no order for this query over ${entity}. Leave it out, and sort the result of toArray().`,
    { entity },
  );

/** The error of `reverse()` for an order that cannot be reversed. */
export const notReversible = (entity: string): QueryError =>
  new QueryError(
    "query.reverse",
    `reverse() and last() reverse the key order of ${entity}. They can't be combined with include(), inRowKeyOrder() over several partitions, or via() over a service. Call one of them, and sort its result.`,
    { entity },
  );

/** The error of `reverse()` over a service for an unknown number of entities. */
export const reversedUnbounded = (entity: string): QueryError =>
  new QueryError(
    "query.reverse-unbounded",
    `The service only reads forwards, so reverse() reads all ${entity} of the query and holds the last ones in memory. Limit their number: add take(count), or call page({ size }) or last(count).`,
    { entity },
  );

/** The error of `inRowKeyOrder()` with an index, since its rows have other RowKeys. */
export const orderOfIndex = (entity: string, index: string): QueryError =>
  new QueryError(
    "query.order-of-index",
    `inRowKeyOrder() merges by the RowKeys of ${entity}, and via("${index}") reads in the order of that index. Leave one of them out.`,
    { entity, index },
  );

/** The error of `take()` for a value that is not a count. */
export const notACount = (): QueryError =>
  new QueryError("query.take", "take() takes a whole number of entities, 0 or more.");

/** The error of `updateAll()` without a function. */
export const notAChange = (): QueryError =>
  new QueryError("query.change", "updateAll(change) takes a function that changes the entity it is given.");

/** The error for a method that a query does not support while rows have two keys. */
export const whileMoving = (entity: string, what: string): QueryError =>
  new QueryError(
    "query.former-keys",
    `${what} can't be used over ${entity} while it has formerKeys, since its rows have two keys. Finish the move (moveRows), and remove formerKeys.`,
    { entity },
  );
