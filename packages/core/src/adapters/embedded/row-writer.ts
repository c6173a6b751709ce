import type { StatementSync } from "node:sqlite";
import {
  annotationOf,
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../edm/stored-entity.ts";
import { StorageError } from "../../errors/storage-error.ts";
import {
  checkNotEmpty,
  checkSize,
  checkStoredKey,
  notAnEntity,
  notAnOperation,
  type UserProperties,
  userProperties,
} from "../../storage/check-write.ts";
import { maxTransactionBytes, maxTransactionOperations } from "../../storage/limits.ts";
import type { WriteOperation } from "../../storage/write-operation.ts";
import { signatureOf } from "./row-signature.ts";
import { rowsOf } from "./schema.ts";
import { checkRow, checksumOf, toOrderedText, versionOfEtag } from "./stored-row.ts";
import type { Statements } from "./table-statements.ts";

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

/** Applies prepared operations to one table's rows, inside the caller's transaction. The statements of common writes are looked up once. */
export class RowWriter {
  readonly #statements: Statements;
  readonly #rows: string;
  #reading: StatementSync | undefined;
  #inserting: StatementSync | undefined;
  #updating: StatementSync | undefined;

  constructor(statements: Statements, tableId: number) {
    this.#statements = statements;
    this.#rows = rowsOf(tableId);
  }

  /**
   * Applies one operation, or throws and changes nothing.
   *
   * @param micros - the new version, in microseconds since 1970
   * @throws StorageError 404, 409 or 412 as the service answers
   */
  apply(operation: PreparedOperation, micros: number): void {
    switch (operation.type) {
      case "insert":
        return this.#insert(operation, micros);
      case "replace":
        return this.#replace(operation, micros);
      case "merge":
        return this.#merge(operation, micros);
      case "upsert-replace":
        return this.#upsertReplace(operation, micros);
      case "upsert-merge":
        return this.#upsertMerge(operation, micros);
      case "delete":
        return this.#delete(operation);
      default:
        return operation.type satisfies never;
    }
  }

  #insert(operation: PreparedOperation, micros: number): void {
    this.#inserting ??= this.#statements.get(
      `INSERT OR IGNORE INTO ${this.#rows} (pk, rk, ${contentColumns}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    const { pk, rk } = operation;
    const { changes } = this.#inserting.run(pk, rk, ...contentOf(operation, micros, operation));
    if (changes === 0) throw StorageError.ofService("EntityAlreadyExists");
  }

  #replace(operation: PreparedOperation, micros: number): void {
    const { pk, rk, version } = operation;
    const condition = version === undefined ? "" : " AND ts = ?";
    const { changes } = this.#statements
      .get(`UPDATE ${this.#rows} SET ${setContent} WHERE pk = ? AND rk = ?${condition}`)
      .run(...contentOf(operation, micros, operation), pk, rk, ...(version === undefined ? [] : [version]));
    if (changes === 0) throw this.#refusal(operation);
  }

  #merge(operation: PreparedOperation, micros: number): void {
    const row = this.#read(operation);
    if (row === undefined) throw StorageError.ofService("ResourceNotFound");
    if (operation.version !== undefined && row.ts !== operation.version)
      throw StorageError.ofService("UpdateConditionNotSatisfied");
    this.#mergeInto(row, operation, micros);
  }

  #upsertReplace(operation: PreparedOperation, micros: number): void {
    const { pk, rk } = operation;
    this.#statements
      .get(
        `INSERT INTO ${this.#rows} (pk, rk, ${contentColumns}) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (pk, rk) DO UPDATE SET (${contentColumns}) = (${excludedContent})`,
      )
      .run(pk, rk, ...contentOf(operation, micros, operation));
  }

  #upsertMerge(operation: PreparedOperation, micros: number): void {
    const row = this.#read(operation);
    if (row === undefined) this.#insert(operation, micros);
    else this.#mergeInto(row, operation, micros);
  }

  #delete(operation: PreparedOperation): void {
    const { pk, rk, version } = operation;
    const { changes } = this.#statements
      .get(`DELETE FROM ${this.#rows} WHERE pk = ? AND rk = ?${version === undefined ? "" : " AND ts = ?"}`)
      .run(pk, rk, ...(version === undefined ? [] : [version]));
    if (changes === 0) throw this.#refusal(operation);
  }

  #read({ pk, rk }: PreparedOperation): FoundRow | undefined {
    this.#reading ??= this.#statements.get(
      `SELECT id, ts, body, crc FROM ${this.#rows} WHERE pk = ? AND rk = ?`,
    );
    const row = this.#reading.get(pk, rk);
    if (row === undefined) return undefined;
    const [id, ts, body, crc] = row as unknown as [number, number, string, number];
    // What is merged into a damaged row would make it look whole.
    checkRow(pk, rk, ts, body, crc);
    return { id, ts, body };
  }

  #mergeInto({ id, body: stored }: FoundRow, operation: PreparedOperation, micros: number): void {
    this.#updating ??= this.#statements.get(`UPDATE ${this.#rows} SET ${setContent} WHERE id = ?`);
    const { properties = {}, keyLength } = operation;
    const merged = JSON.parse(stored) as StoredEntityDraft;
    for (const name in properties) {
      if (isSystemName(name)) continue;
      const annotation = annotationOf(name);
      // The type changes with the value: an annotation of the old one must not stay behind.
      delete merged[annotation];
      setMember(merged, name, properties[name]);
      if (properties[annotation] !== undefined) merged[annotation] = properties[annotation];
    }
    const body = JSON.stringify(merged);
    checkSize(merged as UserProperties, body, keyLength);
    this.#updating.run(...contentOf(operation, micros, { body, properties: merged }), id);
  }

  /** Why a conditional write found no row: it is gone, or it has another version. */
  #refusal(operation: PreparedOperation): StorageError {
    const isGone = this.#read(operation) === undefined;
    return StorageError.ofService(isGone ? "ResourceNotFound" : "UpdateConditionNotSatisfied");
  }
}

/** A stored row that an operation changes. */
interface FoundRow {
  readonly id: number;
  readonly ts: number;
  readonly body: string;
}

/** What a row holds beside its keys and its version. */
type RowContent = Pick<PreparedOperation, "body" | "properties">;

/** The columns that every write sets, all of them together: a signature must never be older than its row. */
const contentNames = ["ts", "body", "crc", "s0", "s1"] as const;
const contentColumns = contentNames.join(", ");
const setContent = contentNames.map((name) => `${name} = ?`).join(", ");
const excludedContent = contentNames.map((name) => `excluded.${name}`).join(", ");

/** The values of those columns. */
function contentOf(
  { pk, rk }: PreparedOperation,
  micros: number,
  { body, properties = {} }: RowContent,
): [ts: number, body: string, crc: number, s0: number, s1: number] {
  return [micros, body, checksumOf(pk, rk, micros, body), ...signatureOf(properties)];
}
