import {
  annotationOf,
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../edm/stored-entity.ts";
import { StorageError } from "../../errors/storage-error.ts";
import { checkSize } from "../../storage/check-entity.ts";
import { keyOfOperation, type WriteOperation } from "../../storage/write-operation.ts";
import { toOrderedText } from "./key-order.ts";
import { microsOfEtag } from "./stored-time.ts";
import { rowsOf, type Statements } from "./table-statements.ts";

/** Applies checked operations to one table's rows, inside the caller's transaction. */
export class RowWriter {
  readonly #statements: Statements;
  readonly #rows: string;

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
  apply(operation: WriteOperation, micros: number): void {
    const key = keyOfOperation(operation);
    const pk = toOrderedText(key.partitionKey);
    const rk = toOrderedText(key.rowKey);
    switch (operation.type) {
      case "insert":
        return this.#insert(pk, rk, micros, operation.entity);
      case "replace":
        return this.#replace(pk, rk, micros, operation.entity, operation.etag);
      case "merge":
        return this.#merge(pk, rk, micros, operation.entity, operation.etag);
      case "upsert-replace":
        return this.#upsertReplace(pk, rk, micros, operation.entity);
      case "upsert-merge":
        return this.#upsertMerge(pk, rk, micros, operation.entity);
      case "delete":
        return this.#delete(pk, rk, operation.etag);
      default:
        return operation satisfies never;
    }
  }

  #insert(pk: string, rk: string, micros: number, entity: StoredEntity): void {
    const { changes } = this.#statements
      .get(`INSERT OR IGNORE INTO ${this.#rows} (pk, rk, ts, body) VALUES (?, ?, ?, ?)`)
      .run(pk, rk, micros, toBody(entity));
    if (changes === 0) throw StorageError.ofService("EntityAlreadyExists");
  }

  #replace(pk: string, rk: string, micros: number, entity: StoredEntity, etag: string): void {
    const isAny = etag === "*";
    const where = isAny ? "" : " AND ts = ?";
    const { changes } = this.#statements
      .get(`UPDATE ${this.#rows} SET ts = ?, body = ? WHERE pk = ? AND rk = ?${where}`)
      .run(micros, toBody(entity), pk, rk, ...(isAny ? [] : [versionOf(etag)]));
    if (changes === 0) throw this.#refusal(pk, rk);
  }

  #merge(pk: string, rk: string, micros: number, entity: StoredEntity, etag: string): void {
    const row = this.#read(pk, rk);
    if (row === undefined) throw StorageError.ofService("ResourceNotFound");
    if (etag !== "*" && row.ts !== versionOf(etag))
      throw StorageError.ofService("UpdateConditionNotSatisfied");
    this.#update(row.id, micros, mergeBodies(row.body, entity));
  }

  #upsertReplace(pk: string, rk: string, micros: number, entity: StoredEntity): void {
    this.#statements
      .get(
        `INSERT INTO ${this.#rows} (pk, rk, ts, body) VALUES (?, ?, ?, ?)
         ON CONFLICT (pk, rk) DO UPDATE SET ts = excluded.ts, body = excluded.body`,
      )
      .run(pk, rk, micros, toBody(entity));
  }

  #upsertMerge(pk: string, rk: string, micros: number, entity: StoredEntity): void {
    const row = this.#read(pk, rk);
    if (row === undefined) this.#insert(pk, rk, micros, entity);
    else this.#update(row.id, micros, mergeBodies(row.body, entity));
  }

  #delete(pk: string, rk: string, etag: string): void {
    const isAny = etag === "*";
    const { changes } = this.#statements
      .get(`DELETE FROM ${this.#rows} WHERE pk = ? AND rk = ?${isAny ? "" : " AND ts = ?"}`)
      .run(pk, rk, ...(isAny ? [] : [versionOf(etag)]));
    if (changes === 0) throw this.#refusal(pk, rk);
  }

  #read(
    pk: string,
    rk: string,
  ): { readonly id: number; readonly ts: number; readonly body: string } | undefined {
    const row = this.#statements
      .get(`SELECT id, ts, body FROM ${this.#rows} WHERE pk = ? AND rk = ?`)
      .get(pk, rk);
    if (row === undefined) return undefined;
    const [id, ts, body] = row as unknown as [number, number, string];
    return { id, ts, body };
  }

  #update(id: number, micros: number, body: string): void {
    this.#statements.get(`UPDATE ${this.#rows} SET ts = ?, body = ? WHERE id = ?`).run(micros, body, id);
  }

  /** Why a conditional write found no row: it is gone, or it has another version. */
  #refusal(pk: string, rk: string): StorageError {
    return StorageError.ofService(
      this.#read(pk, rk) === undefined ? "ResourceNotFound" : "UpdateConditionNotSatisfied",
    );
  }
}

/**
 * The key is in columns of its own and the system properties are computed: the body holds the user's properties. It is
 * cut from the whole entity's JSON where the keys come first, as they do in what this library writes.
 */
function toBody(entity: StoredEntity): string {
  const { PartitionKey, RowKey, Timestamp, "odata.etag": etag } = entity;
  const head = `{"PartitionKey":${JSON.stringify(PartitionKey)},"RowKey":${JSON.stringify(RowKey)}`;
  const text = JSON.stringify(entity);
  if (Timestamp === undefined && etag === undefined && text.startsWith(`${head},`))
    return `{${text.slice(head.length + 1)}`;
  const {
    PartitionKey: _pk,
    RowKey: _rk,
    Timestamp: _timestamp,
    "odata.etag": _etag,
    ...properties
  } = entity;
  return JSON.stringify(properties);
}

function mergeBodies(stored: string, entity: StoredEntity): string {
  const merged = JSON.parse(stored) as StoredEntityDraft;
  for (const name in entity) {
    if (isSystemName(name) || entity[name] === undefined) continue;
    const annotation = annotationOf(name);
    // The type changes with the value: an annotation of the old one must not stay behind.
    delete merged[annotation];
    setMember(merged, name, entity[name]);
    if (entity[annotation] !== undefined) merged[annotation] = entity[annotation];
  }
  checkSize({ ...merged, PartitionKey: entity.PartitionKey, RowKey: entity.RowKey });
  return JSON.stringify(merged);
}

/** @throws StorageError `storage.invalid-input` for text that is no ETag */
function versionOf(etag: string): number {
  const micros = microsOfEtag(etag);
  if (micros === undefined)
    throw StorageError.ofService("InvalidInput", "If-Match is not an ETag of this store");
  return micros;
}
