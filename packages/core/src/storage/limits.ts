import { sizeOfStored } from "../values/edm/edm-types.ts";
import {
  annotationOf,
  isSystemName,
  type StoredEntity,
  type StoredValue,
} from "../values/edm/stored-entity.ts";

/** Operations per transaction. Source: learn.microsoft.com "Performing entity group transactions". */
export const maxTransactionOperations = 100;

/** Bytes of a transaction's body. Source: same page. */
export const maxTransactionBytes: number = 4 * 1024 * 1024;

/** Bytes of an entity as the JSON that is sent. */
export const jsonBytes = (entity: StoredEntity): number => Buffer.byteLength(JSON.stringify(entity));

/** Bytes of an entity. Source: learn.microsoft.com "Understanding the Table service data model". */
export const maxEntityBytes: number = 1024 * 1024;

/** Properties of an entity in addition to PartitionKey, RowKey and Timestamp. Source: same page. */
export const maxProperties = 252;

/** Entities of one page. Source: learn.microsoft.com "Query timeout and pagination". */
export const maxPageSize = 1000;

const tableName = /^[A-Za-z][A-Za-z0-9]{2,62}$/;

/** Whether the service accepts a table name: 3 to 63 letters and digits, beginning with a letter. */
export const isTableName = (name: string): boolean => tableName.test(name) && name.toLowerCase() !== "tables";

/**
 * Whether a table of this name can be read: an ordinary table, or one of the service's metrics, such as
 * `$MetricsHourPrimaryTransactionsTable`. Source: learn.microsoft.com "Storage Analytics metrics table schema".
 */
export const isReadableTable = (name: string): boolean => isTableName(name) || metricsTable.test(name);

const metricsTable = /^\$Metrics[A-Za-z]{1,55}$/;

/** Shortens a possibly invalid table name for messages. Programs pass classes, too. */
export const shownTable = (name: unknown): string =>
  typeof name === "string"
    ? name.slice(0, 80).replaceAll(/[^\w$-]/g, "?")
    : "a storage takes the name of a table; for a class, use new TableContext(storage)";

/** Size and property count of an entity as the service counts them. */
export interface EntitySize {
  readonly bytes: number;
  readonly count: number;
}

/** The size of a complete entity, by the formula of {@link sizeOfProperties}. */
export const sizeOfEntity = (entity: StoredEntity): EntitySize =>
  sizeOfProperties(entity, 2 * (entity.PartitionKey.length + entity.RowKey.length));

/**
 * The size by the published formula: 4 + 2 × key lengths, and per property 8 + 2 × name length + value size.
 * Source: Windows Azure Storage team blog, "How to get most out of Windows Azure Tables".
 */
export function sizeOfProperties(properties: Properties, keyBytes: number): EntitySize {
  let bytes = 4 + keyBytes;
  let count = 0;
  for (const name in properties) {
    const value = properties[name];
    if (value === undefined || isSystemName(name)) continue;
    count++;
    bytes += 8 + 2 * name.length + sizeOfStored(value, properties[annotationOf(name)]);
  }
  return { bytes, count };
}

type Properties = Readonly<Record<string, StoredValue | undefined>>;
