import type { EntityKey, StoredEntity } from "../values/edm/stored-entity.ts";
import { ByteWriter } from "../values/edm/byte-writer.ts";
import { jsonBytes } from "./limits.ts";

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

/** A write that stores a row. */
export type RowWrite = Exclude<WriteOperation, DeleteOperation>;

/** A write of a whole row, or of a row that may be new, without a condition. */
export type NewRowWrite = InsertOperation | UpsertOperation;

/** Marks encoded writes. It is on the prototype, so a copy of the members is an ordinary operation. */
const encoded = Symbol("encoded write");

/**
 * A write of a whole row that an encoder has made of an entity, and checked; nobody can change it. A store of our own writes
 * it as bytes; storages of others get `toPlain` of it, so that what they change is what is stored.
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

  /** Whether an operation was encoded, by this copy of the package. */
  static is(operation: unknown): operation is EncodedWrite {
    return (operation as { readonly [encoded]?: true } | null | undefined)?.[encoded] === true;
  }

  /** Writes the row as JSON. */
  abstract print(into: ByteWriter): void;

  /** Writes what the row has behind its keys, to its end: each member with a comma before it. */
  abstract printMembers(into: ByteWriter): void;

  /** The row as a stored entity, which is the caller's own. */
  protected abstract toStored(): StoredEntity;

  /** The row as a stored entity; made when it is first asked for. */
  get entity(): StoredEntity {
    return (this.#entity ??= this.toStored());
  }

  /** The same as anybody would write it. */
  toPlain(): InsertOperation | UpsertOperation {
    return { type: this.type, entity: this.toStored() };
  }

  /** As comparisons of operations see it. */
  toJSON(): InsertOperation | UpsertOperation {
    return this.toPlain();
  }
}

/** An operation as anybody would write it, which a storage of somebody else can take and change. */
export const plainOf = (operation: WriteOperation): WriteOperation =>
  EncodedWrite.is(operation) ? operation.toPlain() : operation;

/** What the store says of a write that it made. */
export interface WriteResult {
  /** The new version; absent after a delete. */
  readonly etag?: string;
}

/** Bytes of the JSON that an operation sends: none for a removal. */
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

/** Whether an operation leaves the properties of a row that it does not name as they are. */
export const isMerge = ({ type }: WriteOperation): boolean => type === "merge" || type === "upsert-merge";

/** The version that an operation needs its row to have; undefined where any will do. */
export const conditionOf = (operation: WriteOperation): string | undefined =>
  "etag" in operation && operation.etag !== "*" ? operation.etag : undefined;

/** Whether an operation can be applied once only: by its ETag, or because it takes a free key. */
export const appliesOnce = (operation: WriteOperation): boolean =>
  operation.type === "insert" || conditionOf(operation) !== undefined;
