import type { StoredEntity } from "../../edm/stored-entity.ts";
import {
  checkSize,
  checkStoredKey,
  notAnEntity,
  notAnOperation,
  type UserProperties,
  userProperties,
} from "../../storage/check-write.ts";
import { EncodedWrite, type WriteOperation } from "../../storage/write-operation.ts";
import { printBody } from "./packed-body.ts";
import { type Body, bodyOf, byteLengthOf, lengthOf, packedOf, releaseBody, shapeOf } from "./row-body.ts";
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
    values: new RowValues(bodyOf("{}"), {}),
    version: undefined,
    bytes: 0,
    isNew: true,
  };

  readonly body: Body;
  #source: UserProperties | EncodedWrite;
  #shape: UserProperties | undefined;

  /** @param source - the properties, or what they can be had of */
  constructor(body: Body, source: UserProperties | EncodedWrite) {
    this.body = body;
    this.#source = source;
  }

  /** With the keys, where they were encoded. */
  get properties(): UserProperties {
    if (EncodedWrite.is(this.#source)) this.#source = this.#source.toPlain().entity;
    return this.#source;
  }

  /** The same, where texts may stand for packed bytes: to count and to mix them, nobody needs them as base64. */
  get shape(): UserProperties {
    return (this.#shape ??= packedOf(this.body) === undefined ? this.properties : shapeOf(this.body));
  }

  get length(): number {
    return lengthOf(this.body);
  }

  /** To be called once they are stored. */
  release(): void {
    releaseBody(this.body);
  }
}

const noValues = new RowValues(bodyOf("{}"), {});

/**
 * Refuses what the service refuses.
 *
 * @param isEncoded - whether the encoder has made the entity of an insert or a replacing upsert: its names and values are
 *   checked, and it is nobody else's
 * @throws StorageError with the service's code
 */
export function prepareOperation(operation: WriteOperation, isEncoded: boolean = false): PreparedOperation {
  if (isEncoded && EncodedWrite.is(operation) && operation.type !== "upsert-merge") {
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
  const body = bodyOf(JSON.stringify(properties));
  const values = new RowValues(body, properties);
  checkSize(values, keyLength);
  const [pk, rk] = [toOrderedText(PartitionKey), toOrderedText(RowKey)];
  const bytes = byteLengthOf(body);
  return { type, pk, rk, keyLength, values, version, bytes, isNew: type === "insert" };
}

/**
 * A row that the encoder has made, whose body is written as bytes; undefined where they would not be the text that tests of
 * bodies look for: the wire has other forms of -0 and of two characters that end lines.
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
  const values = new RowValues(bodyOf(body), operation);
  checkSize(values, keyLength);
  const [pk, rk] = [toOrderedText(key.partitionKey), toOrderedText(key.rowKey)];
  return {
    type,
    pk,
    rk,
    keyLength,
    values,
    version: undefined,
    bytes: plainLength,
    isNew: type === "insert",
  };
}

const hasWireForms = (json: Buffer): boolean => json.includes(minusZero) || json.includes(escapedSeparator);

const minusZero = Buffer.from("-0.0");
/** How the escapes of U+2028 and U+2029 begin. */
const escapedSeparator = Buffer.from("\\u202");
const [comma, openingBrace] = [0x2c, 0x7b];

const withoutKeys = ({ PartitionKey: _pk, RowKey: _rk, ...rest }: StoredEntity): UserProperties => rest;
