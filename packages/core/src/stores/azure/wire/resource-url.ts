import type { EntityKey } from "../../../values/edm/stored-entity.ts";
import { StorageError } from "../../../values/errors/storage-error.ts";

/** The path of a table's entities, or of one of them, after the account's base path. */
export function entityPath(table: string, key?: EntityKey): string {
  if (key === undefined) return `/${table}`;
  return `/${table}${keyPath(quotedKey(key.partitionKey), quotedKey(key.rowKey))}`;
}

/** The path of one entity after the table: its key. Both parts come from `quotedKey`. */
export const keyPath = (partitionKey: string, rowKey: string): string =>
  `(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;

/** The path of the list of tables, or of one table. */
export const tablePath = (table?: string): string =>
  table === undefined ? "/Tables" : `/Tables('${table}')`;

/**
 * A key as it is quoted in a URL: quotes doubled, then percent-encoded.
 *
 * @throws StorageError `storage.out-of-range-input` for lone surrogates, which UTF-8 cannot encode
 */
export const quotedKey = (key: string): string => encoded(key.replaceAll("'", "''"));

function encoded(text: string): string {
  if (!text.isWellFormed()) throw StorageError.ofService("OutOfRangeInput", "lone surrogate");
  return encodeURIComponent(text);
}
