// `page-reader.ts`, `read-chunk.ts` and `checked-rows.ts` call this file. It turns key bounds and a start position into
// SQL conditions that SQLite evaluates by seeking in the table's key index.

import { fromOrderedText, toOrderedText } from "../../values/keys/key-rules.ts";
import type { KeyBounds } from "../../values/filter/key-bounds.ts";
import {
  contains,
  exactly,
  everything,
  intersect,
  onlyText,
  type TextRange,
} from "../../values/keys/text-range.ts";
import type { Position } from "../sql/page-query.ts";
import type { SqlCondition } from "../../values/filter/filter-sql.ts";

/** The start of rows: at a key, or after it. */
export interface Start {
  readonly at: Position;
  readonly inclusive: boolean;
}

/** Negative if the first row comes before the second one. */
export function comparePositions(a: Position, b: Position): number {
  const [first, second] = a[0] === b[0] ? [a[1], b[1]] : [a[0], b[0]];
  if (first === second) return 0;
  return fromOrderedText(first) < fromOrderedText(second) ? -1 : 1;
}

/** The rows after a key. */
export const startAfter = (at: Position): Start => ({ at, inclusive: false });

/**
 * The conditions for the rows within bounds, from a start and up to a position: at most three, for consecutive rows.
 * With a single condition on both keys, SQLite would evaluate it again for each row.
 */
export function rangesBetween(
  { partitionKey, rowKey }: KeyBounds,
  start: Start | undefined,
  upTo: Position | undefined,
): SqlCondition[] {
  const from = start && keysOf(start.at);
  const lower: TextRange = from ? { lower: { text: from.rowKey, inclusive: start.inclusive } } : everything;
  const to = upTo && keysOf(upTo);
  const upper = upToText(to?.rowKey);
  if (onlyText(partitionKey) !== undefined)
    return printAll([partitionKey, intersect(rowKey, { ...lower, ...upper })]);
  // The RowKey range only applies if the PartitionKey is a single value.
  if (from !== undefined && from.partitionKey === to?.partitionKey)
    return printAll([within(partitionKey, from.partitionKey), { ...lower, ...upper }]);
  return printAll(
    [from && within(partitionKey, from.partitionKey), lower],
    [intersect(partitionKey, open(from?.partitionKey, to?.partitionKey)), everything],
    [to && within(partitionKey, to.partitionKey), upper],
  );
}

/**
 * The condition for the rows within bounds and from a start on: one at most, so SQLite steps from each row to the
 * next and notices a damaged index. Ranges that end at the end of a partition would only be shorter there.
 */
export function rangeFrom(bounds: KeyBounds, start: Start | undefined): SqlCondition[] {
  if (start === undefined || onlyText(bounds.partitionKey) !== undefined)
    return rangesBetween(bounds, start, undefined);
  const { lower, upper } = bounds.partitionKey;
  // SQLite seeks to one lower bound, the first. Otherwise it would read every row before the position again.
  const isBehindLower = contains({ ...(lower && { lower }) }, keysOf(start.at).partitionKey);
  const range: TextRange = isBehindLower ? { ...(upper && { upper }) } : bounds.partitionKey;
  const { sql, values } = print(range, everything);
  const from = start.inclusive ? ">=" : ">";
  return [{ sql: `${sql} AND (pk, rk) ${from} (?, ?)`, values: [...values, ...start.at] }];
}

/** The condition for the rows within bounds, read backwards from a start: at most one. */
export function rangeBack({ partitionKey, rowKey }: KeyBounds, start: Start | undefined): SqlCondition[] {
  if (start === undefined) return rangesBetween({ partitionKey, rowKey }, undefined, undefined);
  const upper = { text: keysOf(start.at).rowKey, inclusive: start.inclusive };
  if (onlyText(partitionKey) !== undefined) return printAll([partitionKey, intersect(rowKey, { upper })]);
  const { lower } = partitionKey;
  const { sql, values } = print({ ...(lower && { lower }) }, everything);
  return [
    {
      sql: `${sql} AND (pk, rk) ${start.inclusive ? "<=" : "<"} (?, ?)`,
      values: [...values, ...start.at],
    },
  ];
}

const keysOf = ([pk, rk]: Position): { readonly partitionKey: string; readonly rowKey: string } => ({
  partitionKey: fromOrderedText(pk),
  rowKey: fromOrderedText(rk),
});

const within = (range: TextRange, text: string): TextRange | undefined =>
  contains(range, text) ? exactly(text) : undefined;

const upToText = (text: string | undefined): TextRange =>
  text === undefined ? everything : { upper: { text, inclusive: true } };

/** After one text and before another. */
const open = (after: string | undefined, before: string | undefined): TextRange => ({
  ...(after !== undefined && { lower: { text: after, inclusive: false } }),
  ...(before !== undefined && { upper: { text: before, inclusive: false } }),
});

/** Leaves out ranges that cannot contain rows. */
function printAll(
  ...ranges: readonly (readonly [pk: TextRange | undefined, rk: TextRange | undefined])[]
): SqlCondition[] {
  return ranges.flatMap(([pk, rk]) => (pk === undefined || rk === undefined ? [] : [print(pk, rk)]));
}

function print(pk: TextRange, rk: TextRange): SqlCondition {
  const bounds = [...boundsOf("pk", pk), ...boundsOf("rk", rk)];
  return {
    sql: bounds.length === 0 ? "1" : bounds.map(([condition]) => condition).join(" AND "),
    values: bounds.map(([, text]) => toOrderedText(text)),
  };
}

function boundsOf(column: "pk" | "rk", range: TextRange): [condition: string, text: string][] {
  const only = onlyText(range);
  if (only !== undefined) return [[`${column} = ?`, only]];
  const { lower, upper } = range;
  const bounds: [string, string][] = [];
  if (lower !== undefined) bounds.push([`${column} ${lower.inclusive ? ">=" : ">"} ?`, lower.text]);
  if (upper !== undefined) bounds.push([`${column} ${upper.inclusive ? "<=" : "<"} ?`, upper.text]);
  return bounds;
}
