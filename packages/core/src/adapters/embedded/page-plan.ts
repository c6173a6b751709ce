import { evaluateFilter, lookupIn } from "../../filter/evaluate-filter.ts";
import type { StoredEntity } from "../../edm/stored-entity.ts";
import { StorageError } from "../../errors/storage-error.ts";
import { allOf, type FilterNode } from "../../filter/filter-node.ts";
import { conjunctsOf, isKeyBound, type KeyBounds, keyBoundsOf } from "../../filter/key-bounds.ts";
import { onlyText, type TextRange } from "../../keys/text-range.ts";
import { checkFilter } from "../../storage/check-filter.ts";
import { maxPageSize } from "../../storage/limits.ts";
import type { ContinuationToken, StoredQuery } from "../../storage/table-storage.ts";
import { toOrderedText } from "./key-order.ts";
import { printTextTest, type SqlCondition, textTestOf } from "./text-test.ts";

/** The last key that was passed, as its columns hold it. */
export type Position = readonly [pk: string, rk: string];

/** A query, checked: where its rows are, and what decides on each of them. */
export interface PagePlan {
  readonly bounds: KeyBounds;
  readonly top: number;
  readonly select: readonly string[] | undefined;
  readonly after: Position | undefined;
  /** Whether each row within the bounds is wanted, so that a page passes no more rows than it returns. */
  readonly isSeek: boolean;
  /** What SQLite can test of a row; undefined when nothing. */
  readonly test: SqlCondition | undefined;
  readonly isWanted: (entity: StoredEntity) => boolean;
}

/**
 * Plans a page; undefined for a filter that no key can satisfy.
 *
 * @throws StorageError `storage.invalid-input`
 */
export function planPage({ filter, select, top, after }: StoredQuery): PagePlan | undefined {
  const count = checkTop(top);
  if (filter !== undefined) checkFilter(filter);
  const position = after === undefined ? undefined : parsePosition(after);
  const bounds = keyBoundsOf(filter);
  if (bounds === undefined) return undefined;
  const rest = restOf(filter, bounds);
  const test = rest && textTestOf(rest);
  return {
    bounds,
    top: count,
    select,
    after: position,
    isSeek: rest === undefined,
    test: test && printTextTest(test),
    isWanted: rest === undefined ? () => true : (entity) => evaluateFilter(rest, lookupIn(entity)),
  };
}

/** What is left of a filter once its rows were sought by key: the seek says whole PartitionKeys, and RowKeys in one. */
function restOf(filter: FilterNode | undefined, { partitionKey }: KeyBounds): FilterNode | undefined {
  const isOne = onlyText(partitionKey) !== undefined;
  return allOf(conjunctsOf(filter).filter((node) => !isKeyBound(node) || (node.name === "RowKey" && !isOne)));
}

function checkTop(top: number = maxPageSize): number {
  if (Number.isInteger(top) && top >= 1 && top <= maxPageSize) return top;
  throw StorageError.ofService("InvalidInput", `top takes 1 to ${maxPageSize}`);
}

/** The condition for rows within the bounds, behind one position and up to another. */
export function seek(
  bounds: KeyBounds,
  after: Position | undefined,
  upTo: Position | undefined,
): SqlCondition {
  const conditions: string[] = [];
  const values: string[] = [];
  const add = (condition: string, ...operands: string[]): void => {
    conditions.push(condition);
    values.push(...operands);
  };
  const partition = onlyText(bounds.partitionKey);
  if (partition === undefined) {
    addBounds(add, "pk", bounds.partitionKey);
    if (after !== undefined) add("(pk, rk) > (?, ?)", ...after);
    if (upTo !== undefined) add("(pk, rk) <= (?, ?)", ...upTo);
  } else {
    add("pk = ?", toOrderedText(partition));
    addBounds(add, "rk", bounds.rowKey);
    if (after !== undefined) add("rk > ?", after[1]);
    if (upTo !== undefined) add("rk <= ?", upTo[1]);
  }
  return { sql: conditions.length === 0 ? "1" : conditions.join(" AND "), values };
}

function addBounds(
  add: (condition: string, operand: string) => void,
  column: "pk" | "rk",
  { lower, upper }: TextRange,
): void {
  if (lower !== undefined) add(`${column} ${lower.inclusive ? ">=" : ">"} ?`, toOrderedText(lower.text));
  if (upper !== undefined) add(`${column} ${upper.inclusive ? "<=" : "<"} ?`, toOrderedText(upper.text));
}

/** The length of the first key tells where the second begins. */
export const printPosition = ([pk, rk]: Position): ContinuationToken =>
  `${pk.length}:${pk}${rk}` as ContinuationToken;

function parsePosition(token: ContinuationToken): Position {
  const [, digits] = /^(\d{1,4}):/.exec(token) ?? [];
  const [start, length] = [(digits?.length ?? 0) + 1, Number(digits)];
  if (digits === undefined || token.length < start + length)
    throw StorageError.ofService("InvalidInput", "the continuation token is not one of this store");
  return [token.slice(start, start + length), token.slice(start + length)];
}
