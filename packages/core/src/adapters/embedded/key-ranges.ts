import type { KeyBounds } from "../../filter/key-bounds.ts";
import { contains, exactly, everything, intersect, onlyText, type TextRange } from "../../keys/text-range.ts";
import { fromOrderedText, toOrderedText } from "./stored-row.ts";
import type { SqlCondition } from "./print-row-test.ts";

/** The last key that was passed, as its columns hold it. */
export type Position = readonly [pk: string, rk: string];

/**
 * The conditions for the rows within bounds, behind one position and up to another: at most three, whose rows follow
 * each other: SQLite would evaluate one condition on both keys again for each row.
 */
export function rangesBetween(
  { partitionKey, rowKey }: KeyBounds,
  after: Position | undefined,
  upTo: Position | undefined,
): SqlCondition[] {
  const from = after && keysOf(after);
  const to = upTo && keysOf(upTo);
  if (onlyText(partitionKey) !== undefined)
    return printAll([partitionKey, intersect(rowKey, between(from?.rowKey, to?.rowKey))]);
  // The RowKey range counts only where the PartitionKey is one text.
  if (from !== undefined && from.partitionKey === to?.partitionKey)
    return printAll([within(partitionKey, from.partitionKey), between(from.rowKey, to.rowKey)]);
  return printAll(
    [from && within(partitionKey, from.partitionKey), between(from?.rowKey, undefined)],
    [intersect(partitionKey, open(from?.partitionKey, to?.partitionKey)), everything],
    [to && within(partitionKey, to.partitionKey), between(undefined, to?.rowKey)],
  );
}

/**
 * The condition for the rows within bounds and behind a position: one at most, so that SQLite goes from each row to the
 * next and comes upon a damaged index. Ranges that end where a partition does would only be shorter there.
 */
export function rangeBehind(bounds: KeyBounds, after: Position | undefined): SqlCondition[] {
  if (after === undefined || onlyText(bounds.partitionKey) !== undefined)
    return rangesBetween(bounds, after, undefined);
  const { lower, upper } = bounds.partitionKey;
  // SQLite seeks to one lower bound. It takes the first one, from which it would pass every row before the position again.
  const isBehindLower = contains({ ...(lower && { lower }) }, keysOf(after).partitionKey);
  const range: TextRange = isBehindLower ? { ...(upper && { upper }) } : bounds.partitionKey;
  const { sql, values } = print(range, everything);
  return [{ sql: `${sql} AND (pk, rk) > (?, ?)`, values: [...values, ...after] }];
}

const keysOf = ([pk, rk]: Position): { readonly partitionKey: string; readonly rowKey: string } => ({
  partitionKey: fromOrderedText(pk),
  rowKey: fromOrderedText(rk),
});

const within = (range: TextRange, text: string): TextRange | undefined =>
  contains(range, text) ? exactly(text) : undefined;

/** Behind one text and up to another. */
const between = (after: string | undefined, upTo: string | undefined): TextRange => ({
  ...(after !== undefined && { lower: { text: after, inclusive: false } }),
  ...(upTo !== undefined && { upper: { text: upTo, inclusive: true } }),
});

/** Behind one text and before another. */
const open = (after: string | undefined, before: string | undefined): TextRange => ({
  ...between(after, undefined),
  ...(before !== undefined && { upper: { text: before, inclusive: false } }),
});

/** Those that may hold rows. */
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
  return [
    ...(lower === undefined
      ? []
      : [[`${column} ${lower.inclusive ? ">=" : ">"} ?`, lower.text] as [string, string]]),
    ...(upper === undefined
      ? []
      : [[`${column} ${upper.inclusive ? "<=" : "<"} ?`, upper.text] as [string, string]]),
  ];
}
