import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import { type Comparison, compare, type FilterNode, textLiteral } from "../filter/filter-node.ts";
import type { ContinuationToken, RequestOptions, TableStorage } from "../storage/table-storage.ts";

/**
 * The next rows behind a key, in key order: the rest of its partition, else the partitions behind it. A key outlives
 * what a service's own continuation tokens stand for.
 *
 * @returns none at the end
 */
export async function rowsAfter(
  storage: TableStorage,
  table: string,
  from: EntityKey | undefined,
  options: RequestOptions,
): Promise<readonly StoredEntity[]> {
  const ranges = from === undefined ? [[]] : [rest(from), behind(from)];
  for (const range of ranges) {
    const rows = await firstRows(storage, table, range, options);
    if (rows.length > 0) return rows;
  }
  return [];
}

/** Every row behind one key and up to another, page by page. */
export async function* rowsBetween(
  storage: TableStorage,
  table: string,
  from: EntityKey | undefined,
  to: EntityKey,
  options: RequestOptions,
): AsyncGenerator<readonly StoredEntity[]> {
  for (let position = from; ;) {
    const rows = await rowsAfter(storage, table, position, options);
    const wanted = rows.filter((row) => !isBehind(row, to));
    if (wanted.length > 0) yield wanted;
    const last = rows.at(-1);
    if (last === undefined || wanted.length < rows.length) return;
    position = { partitionKey: last.PartitionKey, rowKey: last.RowKey };
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

/** The first page that is not empty. */
async function firstRows(
  storage: TableStorage,
  table: string,
  range: readonly FilterNode[],
  options: RequestOptions,
): Promise<readonly StoredEntity[]> {
  let after: ContinuationToken | undefined;
  const [only] = range;
  const filter: FilterNode | undefined = range.length > 1 ? { op: "and", nodes: range } : only;
  do {
    const page = await storage.query(
      table,
      { ...(filter && { filter }), ...(after !== undefined && { after }) },
      options,
    );
    if (page.entities.length > 0) return page.entities;
    after = page.next;
  } while (after !== undefined);
  return [];
}
