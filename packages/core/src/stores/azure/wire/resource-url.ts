import type { EntityKey } from "../../../values/edm/stored-entity.ts";
import { StorageError } from "../../../values/errors/storage-error.ts";

/** The path of a table's entities, or of one of them, as it is sent after an account's base. */
export function entityPath(table: string, key?: EntityKey): string {
  if (key === undefined) return `/${table}`;
  return `/${table}${keyPath(quotedKey(key.partitionKey), quotedKey(key.rowKey))}`;
}

/** What follows the table in the path of one entity: its key, of which both parts come from `quotedKey`. */
export const keyPath = (partitionKey: string, rowKey: string): string =>
  `(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;

/** The path of the list of tables, or of one table in it. */
export const tablePath = (table?: string): string =>
  table === undefined ? "/Tables" : `/Tables('${table}')`;

/**
 * A key as it stands inside quotes in a URL: quotes doubled, then percent-encoded.
 *
 * @throws StorageError `storage.out-of-range-input` for lone surrogates, which UTF-8 does not have
 */
export const quotedKey = (key: string): string => encoded(key.replaceAll("'", "''"));

function encoded(text: string): string {
  if (!text.isWellFormed()) throw StorageError.ofService("OutOfRangeInput", "lone surrogate");
  return encodeURIComponent(text);
}
