import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import { isSystemName } from "@partita/core/protocol";
import type { JournalEntry, ReportedResult } from "./journal.ts";

/* Compares operations of journal entries, for the checks that compare reports with requests. */

/** A row of a table. */
export type RowPlace = Pick<ReportedResult, "table" | "partitionKey" | "rowKey">;

/** The operation of a request on one row; undefined if it has none. */
export const operationOn = (
  { table, operations }: JournalEntry,
  place: RowPlace,
): WriteOperation | undefined =>
  table === place.table ? operations.find((operation) => isAt(keyOf(operation), place)) : undefined;

/** Whether a request reads or writes one row. */
const isAt = (key: Pick<RowPlace, "partitionKey" | "rowKey">, place: RowPlace): boolean =>
  key.partitionKey === place.partitionKey && key.rowKey === place.rowKey;

const keyOf = (operation: WriteOperation): Pick<RowPlace, "partitionKey" | "rowKey"> =>
  operation.type === "delete"
    ? operation.key
    : { partitionKey: operation.entity.PartitionKey, rowKey: operation.entity.RowKey };

/** The given row among those that a read returned. */
export const rowAt = (rows: readonly StoredEntity[], place: RowPlace): StoredEntity | undefined =>
  rows.find((row) => isAt({ partitionKey: row.PartitionKey, rowKey: row.RowKey }, place));

/**
 * Whether two operations on a row may request the same change. Their ETags don't count, nor whether they send a part of
 * the row or all of it.
 */
export function asksForSame(a: WriteOperation, b: WriteOperation): boolean {
  if (a.type === "delete" || b.type === "delete") return a.type === b.type;
  if (!isMerge(a) && isMerge(b)) return asksForSame(b, a);
  return holds(b.entity, a.entity) && (isMerge(a) !== isMerge(b) || holds(a.entity, b.entity));
}

/** Whether both operations send a part of the row, or both the complete row, which also contains earlier edits. */
export const isSentAlike = (a: WriteOperation, b: WriteOperation): boolean => isMerge(a) === isMerge(b);

const isMerge = ({ type }: WriteOperation): boolean => type === "merge" || type === "upsert-merge";

/**
 * Whether a row contains the result of an operation: its properties for a merge, and only its properties for a complete
 * row.
 */
export function isStoredAs(row: StoredEntity, operation: WriteOperation): boolean {
  if (operation.type === "delete") return false;
  return holds(row, operation.entity) && (isMerge(operation) || holds(operation.entity, row));
}

/** Whether a row has all the values of another one. Undefined values are not sent. */
const holds = (row: StoredEntity, values: StoredEntity): boolean =>
  Object.entries(values).every(
    ([name, value]) =>
      value === undefined ||
      isSystemName(name) ||
      name.includes("odata.") ||
      textOf(row[name]) === textOf(value),
  );

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_name, each: unknown) => (typeof each === "bigint" ? `${each}n` : each)) ?? "";

/** Whether a transaction leaves a marker. */
export const hasMarker = ({ operations }: JournalEntry): boolean =>
  operations.some((operation) => operation.type === "insert" && operation.entity.RowKey.startsWith("~w~"));
