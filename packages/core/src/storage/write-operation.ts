import type { EntityKey, StoredEntity } from "../values/edm/stored-entity.ts";
import { ByteWriter } from "../values/edm/byte-writer.ts";
import { jsonBytes } from "./limits.ts";

/** Adds an entity under a free key. */
export interface InsertOperation {
  readonly type: "insert";
  readonly entity: StoredEntity;
}

/**
 * Changes a stored entity under its ETag (`*`: any version): merge leaves other properties unchanged, replace drops
 * them.
 */
export interface UpdateOperation {
  readonly type: "merge" | "replace";
  readonly entity: StoredEntity;
  readonly etag: string;
}

/** Writes an entity without a condition, whether it is stored or not. */
export interface UpsertOperation {
  readonly type: "upsert-merge" | "upsert-replace";
  readonly entity: StoredEntity;
}

/** Deletes a stored entity under its ETag (`*`: any version). */
export interface DeleteOperation {
  readonly type: "delete";
  readonly key: EntityKey;
  readonly etag: string;
}

/** One write, as passed to a storage. */
export type WriteOperation = InsertOperation | UpdateOperation | UpsertOperation | DeleteOperation;

/** A write that stores a row. */
export type RowWrite = Exclude<WriteOperation, DeleteOperation>;

/** A write without a condition on an existing version: of a complete row, or of a row that may be new. */
export type NewRowWrite = InsertOperation | UpsertOperation;

/** Marks encoded writes. It is on the prototype, so a copy of the members is an ordinary operation. */
const encoded = Symbol("encoded write");

/**
 * An immutable write of a complete row, encoded and checked. Partita's own storages write it as bytes. Other storages
 * get the result of `toPlain`; if they change it, the changes are stored.
 */
export abstract class EncodedWrite {
  static {
    Object.defineProperty(this.prototype, encoded, { value: true });
  }

  readonly type: "insert" | UpsertOperation["type"];
  readonly key: EntityKey;
  #entity: StoredEntity | undefined;

  constructor(type: EncodedWrite["type"], key: EntityKey) {
    this.type = type;
    this.key = key;
  }

  /** Whether this copy of the package encoded an operation. */
  static is(operation: unknown): operation is EncodedWrite {
    return (operation as { readonly [encoded]?: true } | null | undefined)?.[encoded] === true;
  }

  /** Writes the row as JSON. */
  abstract print(into: ByteWriter): void;

  /** Writes the members of the row after its keys, each preceded by a comma. */
  abstract printMembers(into: ByteWriter): void;

  /** The row as a stored entity that the caller may change. */
  protected abstract toStored(): StoredEntity;

  /** The row as a stored entity, made when it is first read. */
  get entity(): StoredEntity {
    return (this.#entity ??= this.toStored());
  }

  /** The same write as a plain object. */
  toPlain(): InsertOperation | UpsertOperation {
    return { type: this.type, entity: this.toStored() };
  }

  /** The form that comparisons of operations use. */
  toJSON(): InsertOperation | UpsertOperation {
    return this.toPlain();
  }
}

/** An operation as a plain object, which storages of other packages can take and change. */
export const plainOf = (operation: WriteOperation): WriteOperation =>
  EncodedWrite.is(operation) ? operation.toPlain() : operation;

/** The storage's result for a write that was applied. */
export interface WriteResult {
  /** The new ETag; absent after a delete. */
  readonly etag?: string;
}

/** Bytes of the JSON that an operation sends: 0 for a delete. */
export function jsonBytesOf(operation: WriteOperation): number {
  if (operation.type === "delete") return 0;
  return EncodedWrite.is(operation)
    ? ByteWriter.measure((into) => operation.print(into))
    : jsonBytes(operation.entity);
}

/** The key an operation writes to. */
export function keyOfOperation(operation: WriteOperation): EntityKey {
  if (operation.type === "delete" || EncodedWrite.is(operation)) return operation.key;
  const { PartitionKey, RowKey } = operation.entity;
  return { partitionKey: PartitionKey, rowKey: RowKey };
}

/** Whether an operation leaves properties that it does not name unchanged. */
export const isMerge = ({ type }: WriteOperation): boolean => type === "merge" || type === "upsert-merge";

/** The ETag that an operation requires; undefined if it accepts any version. */
export const conditionOf = (operation: WriteOperation): string | undefined =>
  "etag" in operation && operation.etag !== "*" ? operation.etag : undefined;

/** Whether an operation can be applied only once: because of its ETag, or because it needs a free key. */
export const appliesOnce = (operation: WriteOperation): boolean =>
  operation.type === "insert" || conditionOf(operation) !== undefined;
