import type { StoredEntity } from "../../edm/stored-entity.ts";
import {
  checkSize,
  checkStoredKey,
  notAnEntity,
  notAnOperation,
  type UserProperties,
  userProperties,
} from "../../storage/check-write.ts";
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

/**
 * Refuses what the service refuses.
 *
 * @param isEncoded - whether the encoder has made the entity of an insert or a replacing upsert: its names and values are
 *   checked, and it is nobody else's
 * @throws StorageError with the service's code
 */
export function prepareOperation(operation: WriteOperation, isEncoded: boolean = false): PreparedOperation {
  switch (operation?.type) {
    case "insert":
    case "upsert-replace":
      return prepareWrite(operation.type, operation.entity, undefined, isEncoded);
    case "upsert-merge":
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

function prepareWrite(
  type: PreparedOperation["type"],
  entity: StoredEntity,
  version: number | undefined,
  isEncoded: boolean = false,
): PreparedOperation {
  if (typeof entity !== "object" || entity === null) throw notAnEntity(type);
  const { PartitionKey, RowKey } = entity;
  checkStoredKey(PartitionKey, RowKey);
  const keyLength = PartitionKey.length + RowKey.length;
  const properties = isEncoded ? withoutKeys(entity) : userProperties(entity);
  const body = JSON.stringify(properties);
  checkSize(properties, body, keyLength);
  const [pk, rk] = [toOrderedText(PartitionKey), toOrderedText(RowKey)];
  return { type, pk, rk, keyLength, body, properties, version, bytes: Buffer.byteLength(body) };
}

const withoutKeys = ({ PartitionKey: _pk, RowKey: _rk, ...properties }: StoredEntity): UserProperties =>
  properties;
