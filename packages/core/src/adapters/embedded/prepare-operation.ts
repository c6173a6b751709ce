import type { StoredEntity } from "../../edm/stored-entity.ts";
import {
  checkSize,
  checkStoredKey,
  notAnEntity,
  notAnOperation,
  type UserProperties,
  userProperties,
} from "../../storage/check-write.ts";
import type { EncodedWrite, WriteOperation } from "../../storage/write-operation.ts";
import { type RowSignature, signatureOf } from "./row-signature.ts";
import { toOrderedText, versionOfEtag } from "./stored-row.ts";

/** An operation as it will be applied: checked, and cut loose from objects that the caller may still change. */
export interface PreparedOperation {
  readonly type: WriteOperation["type"];
  /** Key columns. */
  readonly pk: string;
  readonly rk: string;
  /** Characters of both keys. */
  readonly keyLength: number;
  /** What is written; empty for a removal. */
  readonly values: RowValues;
  /** The version an update asks for; undefined for any. */
  readonly version: number | undefined;
  readonly bytes: number;
  /** Whether the row is expected not to be there. */
  readonly isNew: boolean;
}

/** What a row holds beside its keys and its version. Rows of one transaction may share it. */
export class RowValues {
  /** One that is never dropped: without any, a major collection drops the hidden class, and the machine code that knows it. */
  // oxlint-disable-next-line no-unused-private-class-members -- see above
  static readonly #pinned: PreparedOperation = {
    type: "insert",
    pk: "",
    rk: "",
    keyLength: 0,
    values: new RowValues("", {}),
    version: undefined,
    bytes: 0,
    isNew: true,
  };

  /** The text of the stored body: the properties as JSON. */
  readonly body: string;
  readonly properties: UserProperties;
  #signature: RowSignature | undefined;

  constructor(body: string, properties: UserProperties) {
    this.body = body;
    this.properties = properties;
  }

  get signature(): RowSignature {
    return (this.#signature ??= signatureOf(this.properties));
  }
}

const noValues = new RowValues("", {});

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
        values: noValues,
        version: versionOfEtag(operation.etag),
        bytes: 0,
        isNew: false,
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
  const values = new RowValues(body, properties);
  const bytes = Buffer.byteLength(body);
  return { type, pk, rk, keyLength, values, version, bytes, isNew: type === "insert" };
}

/**
 * A copy of a row of the same transaction under another key: what was prepared of the one is prepared of the other.
 *
 * @throws StorageError with the service's code
 */
export function prepareCopy(
  { type, key: { partitionKey, rowKey } }: EncodedWrite,
  { values, bytes, isNew }: PreparedOperation,
): PreparedOperation {
  checkStoredKey(partitionKey, rowKey);
  const keyLength = partitionKey.length + rowKey.length;
  checkSize(values.properties, values.body, keyLength);
  const [pk, rk] = [toOrderedText(partitionKey), toOrderedText(rowKey)];
  return { type, pk, rk, keyLength, values, version: undefined, bytes, isNew };
}

const withoutKeys = ({ PartitionKey: _pk, RowKey: _rk, ...rest }: StoredEntity): UserProperties => rest;
