import { evaluateFilter, lookupIn } from "../../values/filter/evaluate-filter.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { namesIn } from "../../values/filter/filter-node.ts";
import { type FilterSql, filterSql } from "../../values/filter/filter-sql.ts";
import { type KeyBounds, keyBoundsOf } from "../../values/filter/key-bounds.ts";
import { checkFilter } from "../../storage/check-filter.ts";
import type { StoredQuery } from "../../storage/table-storage.ts";
import { checkTop, parsePosition, restOf } from "../sql/page-query.ts";
import type { Start } from "./key-ranges.ts";
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
