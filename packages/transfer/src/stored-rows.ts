// `write-rows.ts` calls this after a refused transaction, to find out which of its rows exist. Rows of a file or of a
// table mostly lie together, so one query over their key range replaces up to 100 point reads.

import { keyOfStored } from "@partita/core/internal";
import { allOf, compare, textLiteral } from "@partita/core/protocol";
import type { TableStorage } from "@partita/core";
import type { FilterNode, RequestOptions, StoredEntity } from "@partita/core/storage";

/**
 * The stored rows with the keys of these rows, by RowKey. Rows that have too many others in between are read one by one.
 *
 * @param rows - of one partition, at least one
 * @param isKeysOnly - whether only the keys of the stored rows are needed
 */
export async function storedRows(
  storage: TableStorage,
  table: string,
  rows: readonly StoredEntity[],
  isKeysOnly: boolean,
  request: RequestOptions,
): Promise<ReadonlyMap<string, StoredEntity>> {
  const query = { filter: rangeOf(rows), ...(isKeysOnly && { select: ["PartitionKey", "RowKey"] }) };
  const page = await storage.query(table, query, request);
  const found =
    page.next === undefined
      ? page.entities
      : await Promise.all(rows.map((row) => storage.get(table, keyOfStored(row), request)));
  return new Map(found.flatMap((row) => (row === undefined ? [] : [[row.RowKey, row]])));
}

/** The filter for the rows from the first to the last of these keys. */
function rangeOf(rows: readonly StoredEntity[]): FilterNode {
  const keys = rows.map(({ RowKey }) => RowKey).toSorted();
  const partition = textLiteral(rows[0]?.PartitionKey as string);
  return allOf([
    compare("eq", "PartitionKey", partition),
    compare("ge", "RowKey", textLiteral(keys[0] as string)),
    compare("le", "RowKey", textLiteral(keys.at(-1) as string)),
  ]) as FilterNode;
}
