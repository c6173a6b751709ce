import { evaluateFilter, lookupIn } from "../../values/filter/evaluate-filter.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import { allOf, type FilterNode, namesIn } from "../../values/filter/filter-node.ts";
import { type FilterSql, filterSql } from "../../values/filter/filter-sql.ts";
import { conjunctsOf, isKeyBound, type KeyBounds, keyBoundsOf } from "../../values/filter/key-bounds.ts";
import { onlyText } from "../../values/keys/text-range.ts";
import { checkFilter } from "../../storage/check-filter.ts";
import { maxPageSize } from "../../storage/limits.ts";
import type { ContinuationToken, StoredQuery } from "../../storage/table-storage.ts";
import type { Position, Start } from "./key-ranges.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";

/** A checked query: the bounds of its rows, and the condition on each of them. */
export interface PagePlan {
  readonly bounds: KeyBounds;
  readonly top: number;
  readonly select: readonly string[] | undefined;
  /** The start of the page, from the continuation token; undefined for a first page. */
  readonly start: Start | undefined;
  /** Whether the last rows come first. */
  readonly isBackwards: boolean;
  /**
   * The filter for rows within the bounds; undefined if all match, so a page reads exactly the rows that it returns.
   */
  readonly condition: FilterSql | undefined;
  /** Whether the filter needs more than the keys of a row. */
  readonly readsBodies: boolean;
  /** Evaluates the filter for a row that SQLite cannot decide. */
  readonly isWanted: (entity: StoredEntity) => boolean;
}

/**
 * Plans a page; undefined for a filter that no key can satisfy.
 *
 * @throws StorageError `storage.invalid-input`
 */
export function planPage(query: StoredQuery): PagePlan | undefined {
  const { select, top, after, isBackwards = false } = query;
  const count = checkTop(top);
  const filter = query.filter && checkFilter(query.filter);
  const start = after === undefined ? undefined : { at: parsePosition(after), inclusive: true };
  const bounds = keyBoundsOf(filter);
  if (bounds === undefined) return undefined;
  const rest = restOf(filter, bounds);
  return {
    bounds,
    top: count,
    select,
    start,
    isBackwards,
    condition: rest && filterSql(rest, sqliteDialect),
    readsBodies: namesIn(rest).some((name) => name !== "PartitionKey" && name !== "RowKey"),
    isWanted: rest === undefined ? () => true : (entity) => evaluateFilter(rest, lookupIn(entity)),
  };
}

/**
 * The rest of a filter after seeking by key. The seek covers the PartitionKey, and also the RowKey within a single
 * partition.
 */
function restOf(filter: FilterNode | undefined, { partitionKey }: KeyBounds): FilterNode | undefined {
  const isOne = onlyText(partitionKey) !== undefined;
  return allOf(conjunctsOf(filter).filter((node) => !isKeyBound(node) || (node.name === "RowKey" && !isOne)));
}

function checkTop(top: number = maxPageSize): number {
  if (Number.isInteger(top) && top >= 1 && top <= maxPageSize) return top;
  throw StorageError.ofService("InvalidInput", `top must be 1 to ${maxPageSize}`);
}

/** The length of the first key marks the start of the second. */
export const printPosition = ([pk, rk]: Position): ContinuationToken =>
  `${pk.length}:${pk}${rk}` as ContinuationToken;

function parsePosition(token: ContinuationToken): Position {
  const [, digits] = /^(\d{1,4}):/.exec(token) ?? [];
  const [start, length] = [(digits?.length ?? 0) + 1, Number(digits)];
  if (digits === undefined || token.length < start + length)
    throw StorageError.ofService("InvalidInput", "the continuation token does not belong to this store");
  return [token.slice(start, start + length), token.slice(start + length)];
}
