import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import {
  checkSize,
  notAnEntity,
  notAnOperation,
  type UserProperties,
  userProperties,
} from "../../storage/check-write.ts";
import { checkStoredKey, toOrderedText } from "../../values/keys/key-rules.ts";
import { EncodedWrite, type WriteOperation } from "../../storage/write-operation.ts";
import { printBody } from "./packed-body.ts";
import { type Body, bodyOf, byteLengthOf, lengthOf, shapeOf } from "./row-body.ts";
import type { PreparedWrite } from "../sql/prepare-transaction.ts";
import { versionOfEtag } from "./stored-row.ts";

/** An operation ready to be applied: checked, and copied from objects that the caller may still change. */
export interface PreparedOperation extends PreparedWrite {
  readonly type: WriteOperation["type"];
  /** Characters of both keys. */
  readonly keyLength: number;
  /** The written properties; `{}` for a delete. */
  readonly body: Body;
  /** The written properties of a merge as an object, since the stored row may have others. */
  readonly members: UserProperties;
  /** Whether it writes no properties. */
  readonly isEmpty: boolean;
  /** The required version of an update; undefined for any. */
  readonly version: number | undefined;
}

const none: UserProperties = {};
const emptyBody = bodyOf("{}");
const emptyLength = lengthOf(emptyBody);

/**
 * Makes the store's form of an operation, and refuses it if the service would.
 *
 * @param isFromEncoder - whether no other code could have changed the operation since the encoder made it. Then names
 *   and values of an encoded row are not checked again
 * @throws StorageError with the service's code
 */
export function prepareOperation(operation: WriteOperation, isFromEncoder: boolean): PreparedOperation {
  const isEncoded = isFromEncoder && EncodedWrite.is(operation);
  if (isEncoded && operation.type !== "upsert-merge") {
    const encoded = prepareEncoded(operation);
    if (encoded !== undefined) return encoded;
  }
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
        body: emptyBody,
        members: none,
        isEmpty: true,
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
  const body = bodyOf(JSON.stringify(properties));
  checkSize(lengthOf(body), keyLength, () => properties);
  const [pk, rk] = [toOrderedText(PartitionKey), toOrderedText(RowKey)];
  const bytes = byteLengthOf(body);
  const isMerge = type === "merge" || type === "upsert-merge";
  const isEmpty = lengthOf(body) === emptyLength;
  return { type, pk, rk, keyLength, body, members: isMerge ? properties : none, isEmpty, version, bytes };
}

/**
 * Prepares an encoded row and keeps its bytes. Undefined if these differ from the text that filters search for:
 * requests have other forms of -0, U+2028 and U+2029.
 *
 * @throws StorageError with the service's code
 */
function prepareEncoded(operation: EncodedWrite): PreparedOperation | undefined {
  const { type, key } = operation;
  checkStoredKey(key.partitionKey, key.rowKey);
  const keyLength = key.partitionKey.length + key.rowKey.length;
  const { body, json, plainLength, mayHaveWireForms } = printBody(operation);
  if (json[0] !== comma || (mayHaveWireForms && hasWireForms(json))) return undefined;
  json[0] = openingBrace;
  checkSize(body.length, keyLength, () => shapeOf(bodyOf(body)));
  const [pk, rk] = [toOrderedText(key.partitionKey), toOrderedText(key.rowKey)];
  return {
    type,
    pk,
    rk,
    keyLength,
    body: bodyOf(body),
    members: none,
    isEmpty: false,
    version: undefined,
    bytes: plainLength,
  };
}

const hasWireForms = (json: Buffer): boolean => json.includes(minusZero) || json.includes(escapedSeparator);

const minusZero = Buffer.from("-0.0");
/** The prefix of the escapes of U+2028 and U+2029. */
const escapedSeparator = Buffer.from("\\u202");
const [comma, openingBrace] = [0x2c, 0x7b];

const withoutKeys = ({ PartitionKey: _pk, RowKey: _rk, ...rest }: StoredEntity): UserProperties => rest;
