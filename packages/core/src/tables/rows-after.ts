import type { EntityKey, StoredEntity } from "../values/edm/stored-entity.ts";
import {
  allOf,
  type Comparison,
  compare,
  type FilterNode,
  textLiteral,
} from "../values/filter/filter-node.ts";
import { followPages } from "../storage/follow-pages.ts";
import type { StoredPage, RequestOptions, StoredQuery, TableStorage } from "../storage/table-storage.ts";
import type { Position } from "./job-record.ts";

/** Rows, and the place that the next ones are behind; without it, these are the last. */
export interface RowsAt {
  readonly rows: readonly StoredEntity[];
  readonly next: Position | undefined;
}

/** Rows of a table: those that a filter is true for, or all. */
export interface RowSource {
  readonly table: string;
  readonly filter?: FilterNode | undefined;
}

/**
 * The next rows behind a place, in key order: the rest of its partition, else the partitions behind it. A place is a key,
 * since a service's tokens may expire; a store without key order has only its tokens.
 *
 * @returns no rows at the end
 */
export async function rowsAfter(
  storage: TableStorage,
  source: RowSource,
  from: Position | undefined,
  options: RequestOptions,
): Promise<RowsAt> {
  if (storage.isUnordered === true || (from !== undefined && "token" in from)) {
    const after = from !== undefined && "token" in from ? from.token : undefined;
    const page = await firstPage(storage, source, { filter: source.filter, after }, options);
    return { rows: page.entities, next: page.next === undefined ? undefined : { token: page.next } };
  }
  for (const range of from === undefined ? [[]] : [rest(from), behind(from)]) {
    const filter = allOf([...range, ...(source.filter === undefined ? [] : [source.filter])]);
    const { entities } = await firstPage(storage, source, { filter }, options);
    const last = entities.at(-1);
    if (last !== undefined)
      return { rows: entities, next: { partitionKey: last.PartitionKey, rowKey: last.RowKey } };
  }
  return { rows: [], next: undefined };
}

/** Every row behind one place and up to another. */
export async function rowsBetween(
  storage: TableStorage,
  source: RowSource,
  from: Position | undefined,
  to: Position | undefined,
  options: RequestOptions,
): Promise<readonly StoredEntity[]> {
  const all: StoredEntity[] = [];
  for (let position = from; ;) {
    const { rows, next } = await rowsAfter(storage, source, position, options);
    // A page of an unordered store is what its token stands for.
    if (to === undefined || "token" in to || next === undefined || "token" in next) return [...all, ...rows];
    const wanted = rows.filter((row) => !isBehind(row, to));
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

const isBehind = ({ PartitionKey, RowKey }: StoredEntity, { partitionKey, rowKey }: EntityKey): boolean =>
  PartitionKey > partitionKey || (PartitionKey === partitionKey && RowKey > rowKey);

/** The first page that is not empty, or the last one. */
async function firstPage(
  storage: TableStorage,
  { table }: RowSource,
  { filter, after }: { readonly [Name in "filter" | "after"]?: StoredQuery[Name] | undefined },
  options: RequestOptions,
): Promise<StoredPage> {
  let last: StoredPage = { entities: [] };
  const query = { ...(filter !== undefined && { filter }), ...(after !== undefined && { after }) };
  for await (const page of followPages(storage, table, query, options)) {
    last = page;
    if (page.entities.length > 0) break;
  }
  return last;
}
