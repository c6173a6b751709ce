import type { StoredEntity } from "../../edm/stored-entity.ts";
import { StorageError } from "../../errors/storage-error.ts";
import { checkSize, checkStoredKey, type UserProperties, userProperties } from "../../storage/check-write.ts";
import { checkNotEmpty, notAnEntity, notAnOperation } from "../../storage/check-write.ts";
import { maxTransactionBytes, maxTransactionOperations } from "../../storage/limits.ts";
import type { WriteOperation } from "../../storage/write-operation.ts";
import { toOrderedText, versionOfEtag } from "./stored-row.ts";

/** An operation as it will be applied: checked, and cut loose from objects that the caller may still change. */
export interface PreparedOperation {
  readonly type: WriteOperation["type"];
  /** Key columns. */
  readonly pk: string;
  readonly rk: string;
  /** Characters of both keys. */
  readonly keyLength: number;
  /** The properties as JSON; empty for a removal. */
  readonly body: string;
  /** The properties, for merging. */
  readonly properties: UserProperties | undefined;
  /** The version an update asks for; undefined for any. */
  readonly version: number | undefined;
  readonly bytes: number;
}

/** Refuses what the service refuses. @throws StorageError with the service's code */
export function prepareOperation(operation: WriteOperation): PreparedOperation {
  switch (operation?.type) {
    case "insert":
    case "upsert-merge":
    case "upsert-replace":
      return prepareWrite(operation.type, operation.entity, undefined);
    case "merge":
    case "replace":
      return prepareWrite(operation.type, operation.entity, versionOfEtag(operation.etag));
    case "delete": {
      checkStoredKey(operation.key?.partitionKey, operation.key?.rowKey);
      const { partitionKey, rowKey } = operation.key;
      return {
        type: "delete",
        pk: toOrderedText(partitionKey),
        rk: toOrderedText(rowKey),
        keyLength: partitionKey.length + rowKey.length,
        body: "",
        properties: undefined,
        version: versionOfEtag(operation.etag),
        bytes: 0,
      };
    }
    default:
      operation satisfies never;
      throw notAnOperation();
  }
}

/** Refuses what the service refuses of an entity group transaction, naming the operation. @throws StorageError */
export function prepareTransaction(operations: readonly WriteOperation[]): PreparedOperation[] {
  checkNotEmpty(operations);
  if (operations.length > maxTransactionOperations)
    throw StorageError.ofService(
      "InvalidInput",
      `${operations.length} operations; a transaction takes 100`,
      99,
    );
  const prepared = operations.map((operation, index) => {
    try {
      return prepareOperation(operation);
    } catch (error) {
      throw error instanceof StorageError ? error.atIndex(index) : error;
    }
  });
  const rowKeys = new Set<string>();
  for (const [index, { pk, rk }] of prepared.entries()) {
    if (pk !== prepared[0]?.pk)
      throw StorageError.ofService("CommandsInBatchActOnDifferentPartitions", undefined, index);
    if (rowKeys.has(rk)) throw StorageError.ofService("InvalidDuplicateRow", undefined, index);
    rowKeys.add(rk);
  }
  const bytes = prepared.reduce((sum, operation) => sum + operation.bytes, 0);
  if (bytes > maxTransactionBytes) throw StorageError.ofService("RequestBodyTooLarge", `${bytes} bytes`);
  return prepared;
}

function prepareWrite(
  type: PreparedOperation["type"],
  entity: StoredEntity,
  version: number | undefined,
): PreparedOperation {
  if (typeof entity !== "object" || entity === null) throw notAnEntity(type);
  const { PartitionKey, RowKey } = entity;
  checkStoredKey(PartitionKey, RowKey);
  const keyLength = PartitionKey.length + RowKey.length;
  const properties = userProperties(entity);
  const body = JSON.stringify(properties);
  checkSize(properties, body, keyLength);
  const [pk, rk] = [toOrderedText(PartitionKey), toOrderedText(RowKey)];
  return { type, pk, rk, keyLength, body, properties, version, bytes: Buffer.byteLength(body) };
}
