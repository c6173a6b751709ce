// `table-job.ts` calls this file to read a job's pages. A job resumes at a key rather than at a continuation token,
// because tokens may expire between two runs.

import type { EntityKey } from "@partita/core";
import type { RowPage } from "@partita/core/internal";
import { type FoundRow, keyOfFound } from "@partita/core/internal/jobs";
import { allOf, compare, textLiteral } from "@partita/core/protocol";
import type { Comparison, FilterNode, StoredQuery } from "@partita/core/storage";
import type { Position } from "./job-record.ts";

/** Rows, and the position after them; without a position, they are the last ones. */
export interface RowsAt {
  readonly rows: readonly FoundRow[];
  readonly next: Position | undefined;
}

/** The rows of a table that match a filter, or all. */
export interface RowSource {
  readonly filter?: FilterNode | undefined;
  readonly isUnordered: boolean;
  /** Reads the pages of a query. */
  readonly pages: (query: StoredQuery) => AsyncIterable<RowPage>;
}

/**
 * The next rows after a position, in key order: the rest of its partition, or else the following partitions. A position
 * is a key, since a service's tokens may expire; a storage without key order has only tokens.
 *
 * @returns no rows at the end
 */
export async function rowsAfter(source: RowSource, from: Position | undefined): Promise<RowsAt> {
  if (source.isUnordered || (from !== undefined && "token" in from)) {
    const after = from !== undefined && "token" in from ? from.token : undefined;
    const { rows, next } = await firstPage(source, { filter: source.filter, after });
    return { rows, next: next === undefined ? undefined : { token: next } };
  }
  for (const range of from === undefined ? [[]] : [rest(from), behind(from)]) {
    const filter = allOf([...range, ...(source.filter === undefined ? [] : [source.filter])]);
    const { rows } = await firstPage(source, { filter });
    const last = rows.at(-1);
    if (last !== undefined) return { rows, next: keyOfFound(last) };
  }
  return { rows: [], next: undefined };
}

/** Every row after one position and up to another. */
export async function rowsBetween(
  source: RowSource,
  from: Position | undefined,
  to: Position | undefined,
): Promise<readonly FoundRow[]> {
  const all: FoundRow[] = [];
  for (let position = from; ;) {
    const { rows, next } = await rowsAfter(source, position);
    // In an unordered storage, a token identifies one page.
    if (to === undefined || "token" in to || next === undefined || "token" in next) return [...all, ...rows];
    const wanted = rows.filter((row) => !isBehind(keyOfFound(row), to));
    all.push(...wanted);
    if (wanted.length < rows.length) return all;
    position = next;
  }
}

const rest = ({ partitionKey, rowKey }: EntityKey): Comparison[] => [
  compare("eq", "PartitionKey", textLiteral(partitionKey)),
  compare("gt", "RowKey", textLiteral(rowKey)),
];

const behind = ({ partitionKey }: EntityKey): Comparison[] => [
  compare("gt", "PartitionKey", textLiteral(partitionKey)),
];

/** Whether a position is after another one; assumed for tokens, which cannot be compared. */
export function isBehind(place: Position, other: Position): boolean {
  if ("token" in place || "token" in other) return true;
  const { partitionKey, rowKey } = other;
  return place.partitionKey > partitionKey || (place.partitionKey === partitionKey && place.rowKey > rowKey);
}

/** The first page that is not empty, or the last one. */
async function firstPage(
  { pages }: RowSource,
  { filter, after }: { readonly [Name in "filter" | "after"]?: StoredQuery[Name] | undefined },
): Promise<{ readonly rows: readonly FoundRow[]; readonly next?: RowPage["next"] }> {
  let last: RowPage = { rows: [] };
  const query = { ...(filter !== undefined && { filter }), ...(after !== undefined && { after }) };
  for await (const page of pages(query)) {
    last = page;
    if (page.rows.length > 0) break;
  }
  return last as { readonly rows: readonly FoundRow[] };
}
