import type { EntityKey } from "../../edm/stored-entity.ts";
import { StorageError } from "../../errors/storage-error.ts";

/** The path of a table's entities, or of one of them, as it is sent. */
export function entityPath(base: string, table: string, key?: EntityKey): string {
  if (key === undefined) return `${base}/${table}`;
  return `${base}/${table}(PartitionKey='${quoted(key.partitionKey)}',RowKey='${quoted(key.rowKey)}')`;
}

/** The path of the list of tables, or of one table in it. */
export const tablePath = (base: string, table?: string): string =>
  table === undefined ? `${base}/Tables` : `${base}/Tables('${table}')`;

/** A query string of the parameters that are given, percent-encoded; empty for none. */
export function queryString(parameters: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encoded(value)}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** A key inside quotes in a URL: quotes doubled, then percent-encoded. */
const quoted = (key: string): string => encoded(key.replaceAll("'", "''"));

/** @throws StorageError `storage.out-of-range-input` for lone surrogates, which UTF-8 does not have */
function encoded(text: string): string {
  if (!text.isWellFormed()) throw StorageError.ofService("OutOfRangeInput", "lone surrogate");
  return encodeURIComponent(text);
}
