import { evaluateFilter, lookupIn } from "../../filter/evaluate-filter.ts";
import { isSystemName, type StoredEntity } from "../../edm/stored-entity.ts";
import { StorageError } from "../../errors/storage-error.ts";
import { isTextLiteral, allOf, type FilterNode } from "../../filter/filter-node.ts";
import { conjunctsOf, isKeyBound, type KeyBounds, keyBoundsOf } from "../../filter/key-bounds.ts";
import { onlyText } from "../../keys/text-range.ts";
import { checkFilter } from "../../storage/check-filter.ts";
import { maxPageSize } from "../../storage/limits.ts";
import type { ContinuationToken, StoredQuery } from "../../storage/table-storage.ts";
import type { Position, Start } from "./key-ranges.ts";
import { printRowTest, type SqlCondition } from "./print-row-test.ts";
import type { Beginning } from "./row-body.ts";
import { testsOf } from "./row-test.ts";

/** A query, checked: where its rows are, and what decides on each of them. */
export interface PagePlan {
  readonly bounds: KeyBounds;
  readonly top: number;
  readonly select: readonly string[] | undefined;
  /** The row that the page before it named as its next one; undefined for a first page. */
  readonly start: Start | undefined;
  /** Whether each row within the bounds is wanted, so that a page passes no more rows than it returns. */
  readonly isSeek: boolean;
  /**
   * How the body of a row may begin that is wanted for certain; undefined where no beginning says it. Rows of a kind have
   * its name as their first member.
   */
  readonly wantedBeginning: Beginning | undefined;
  /** What SQLite can test in the index alone; undefined when nothing. */
  readonly indexTest: SqlCondition | undefined;
  /** What SQLite can test of a row; undefined when nothing. */
  readonly test: SqlCondition | undefined;
  readonly isWanted: (entity: StoredEntity) => boolean;
}

/**
 * Plans a page; undefined for a filter that no key can satisfy.
 *
 * @throws StorageError `storage.invalid-input`
 */
export function planPage(query: StoredQuery): PagePlan | undefined {
  const { select, top, after } = query;
  const count = checkTop(top);
  const filter = query.filter && checkFilter(query.filter);
  const start = after === undefined ? undefined : { at: parsePosition(after), inclusive: true };
  const bounds = keyBoundsOf(filter);
  if (bounds === undefined) return undefined;
  const rest = restOf(filter, bounds);
  const { indexTest, rowTest } = rest === undefined ? {} : testsOf(rest);
  return {
    bounds,
    top: count,
    select,
    start,
    isSeek: rest === undefined,
    wantedBeginning: rest && beginningOf(rest),
    indexTest: indexTest && printRowTest(indexTest),
    test: rowTest && printRowTest(rowTest),
    isWanted: rest === undefined ? () => true : (entity) => evaluateFilter(rest, lookupIn(entity)),
  };
}

/** What is left of a filter once its rows were sought by key: the seek says whole PartitionKeys, and RowKeys in one. */
function restOf(filter: FilterNode | undefined, { partitionKey }: KeyBounds): FilterNode | undefined {
  const isOne = onlyText(partitionKey) !== undefined;
  return allOf(conjunctsOf(filter).filter((node) => !isKeyBound(node) || (node.name === "RowKey" && !isOne)));
}

/** How rows begin where a filter asks for one text only, and where this is their first member. */
function beginningOf(node: FilterNode): Beginning | undefined {
  if (node.op !== "eq" || isSystemName(node.name) || !isTextLiteral(node.literal)) return undefined;
  const text = `{${JSON.stringify(node.name)}:${JSON.stringify(node.literal.value)}`;
  return { text, bytes: Buffer.from(text) };
}

function checkTop(top: number = maxPageSize): number {
  if (Number.isInteger(top) && top >= 1 && top <= maxPageSize) return top;
  throw StorageError.ofService("InvalidInput", `top takes 1 to ${maxPageSize}`);
}

/** The length of the first key shows where the second begins. */
export const printPosition = ([pk, rk]: Position): ContinuationToken =>
  `${pk.length}:${pk}${rk}` as ContinuationToken;

function parsePosition(token: ContinuationToken): Position {
  const [, digits] = /^(\d{1,4}):/.exec(token) ?? [];
  const [start, length] = [(digits?.length ?? 0) + 1, Number(digits)];
  if (digits === undefined || token.length < start + length)
    throw StorageError.ofService("InvalidInput", "the continuation token is not one of this store");
  return [token.slice(start, start + length), token.slice(start + length)];
}
