import type { StoredEntity } from "../edm/stored-entity.ts";
import { TableError } from "../errors/table-error.ts";
import type { EntityModel } from "../model/entity-model.ts";

/**
 * The error of a row that cannot be read, with the row's table and keys in its message and details. Code and class stay
 * what they are; an error that names the row already, and one that is not ours, is returned unchanged.
 */
export function errorOfRow(error: unknown, { table }: EntityModel, row: StoredEntity): unknown {
  if (!(error instanceof TableError) || error.details["table"] !== undefined) return error;
  const { code, message, details, cause, constructor } = error;
  const { PartitionKey: partitionKey, RowKey: rowKey } = row;
  const hasKeys = details["partitionKey"] !== undefined;
  const keys = hasKeys ? "" : ` (${JSON.stringify(partitionKey)}, ${JSON.stringify(rowKey)})`;
  const named = `A row of the table ${table}${keys} cannot be read. ${message}`;
  const more = { ...details, table, partitionKey, rowKey };
  return Reflect.construct(constructor, [code, named, more, { cause }]) as TableError;
}
