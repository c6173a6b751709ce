import { annotationOf, type StoredValue } from "../edm/stored-entity.ts";
import { describeType } from "../errors/serialization-error.ts";
import { StorageError } from "../errors/storage-error.ts";
import type { WriteOperation } from "./write-operation.ts";

const types: readonly unknown[] = [
  "insert",
  "merge",
  "replace",
  "upsert-merge",
  "upsert-replace",
  "delete",
] satisfies WriteOperation["type"][];

/**
 * Refuses an operation that is not of the port's form, before anything is sent: what JSON cannot hold, or would hold as
 * something else.
 *
 * @throws StorageError `storage.invalid-input`, naming the property and never its value
 */
export function checkOperation(operation: WriteOperation): void {
  if (!types.includes(operation?.type)) throw notAnOperation();
  if (operation.type === "delete") return;
  const { entity } = operation;
  if (typeof entity !== "object" || entity === null) throw notAnEntity(operation.type);
  for (const name in entity) {
    const value: unknown = entity[name];
    if (!isStorable(value) && value !== undefined && value !== null) throw notStorable(name, value);
  }
}

/** The error for an operation of no known type. */
export const notAnOperation = (): StorageError =>
  invalid(`an operation has one of the types ${types.join(", ")}`);

/** The error for an operation without an entity. */
export const notAnEntity = (type: WriteOperation["type"]): StorageError => invalid(`${type} needs an entity`);

/** Stored values are text, numbers and booleans; other types are text beside an annotation. */
export const isStorable = (value: unknown): value is StoredValue =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** Refuses a list of operations that is no transaction. @throws StorageError `storage.invalid-input` */
export function checkNotEmpty(operations: readonly WriteOperation[]): void {
  if (!Array.isArray(operations) || operations.length === 0)
    throw invalid("a transaction needs an operation: transact(table, [operation, …])");
}

/** The error for a value that is neither. */
export function notStorable(name: string, value: unknown): StorageError {
  const shown = name.slice(0, 80);
  const edm = typeof value === "bigint" ? "Edm.Int64" : value instanceof Date ? "Edm.DateTime" : undefined;
  const remedy =
    edm === undefined
      ? "Pass text, a number or a boolean"
      : `Pass text, with ${JSON.stringify(annotationOf(shown))}: "${edm}" beside it`;
  return invalid(`${shown} holds ${describeType(value)}, which is no stored value. ${remedy}`);
}

const invalid = (problem: string): StorageError => StorageError.ofService("InvalidInput", problem);
