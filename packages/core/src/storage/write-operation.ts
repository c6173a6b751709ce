import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";

/** Adds an entity whose key is free. */
export interface InsertOperation {
  readonly type: "insert";
  readonly entity: StoredEntity;
}

/** Changes a stored entity under its ETag (`*`: any): merge keeps properties that are not named, replace drops them. */
export interface UpdateOperation {
  readonly type: "merge" | "replace";
  readonly entity: StoredEntity;
  readonly etag: string;
}

/** Writes an entity whether it is stored or not, unconditionally. */
export interface UpsertOperation {
  readonly type: "upsert-merge" | "upsert-replace";
  readonly entity: StoredEntity;
}

/** Removes a stored entity under its ETag (`*`: any). */
export interface DeleteOperation {
  readonly type: "delete";
  readonly key: EntityKey;
  readonly etag: string;
}

/** One write of the service: what a storage is given. */
export type WriteOperation = InsertOperation | UpdateOperation | UpsertOperation | DeleteOperation;

/** What the store says of a write that it made. */
export interface WriteResult {
  /** The new version; absent after a delete. */
  readonly etag?: string;
}

/** The key an operation writes to. */
export function keyOfOperation(operation: WriteOperation): EntityKey {
  if (operation.type === "delete") return operation.key;
  const { PartitionKey, RowKey } = operation.entity;
  return { partitionKey: PartitionKey, rowKey: RowKey };
}

/** Whether an operation leaves the properties of a row that it does not name as they are. */
export const isMerge = ({ type }: WriteOperation): boolean => type === "merge" || type === "upsert-merge";
