import { annotationOf } from "../edm/stored-entity.ts";
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
  const { type } = (operation ?? {}) as Partial<WriteOperation>;
  if (!types.includes(type)) throw invalid(`an operation has one of the types ${types.join(", ")}`);
  if (operation.type === "delete") return;
  const { entity } = operation;
  if (typeof entity !== "object" || entity === null) throw invalid(`${type} needs an entity`);
  for (const name in entity) checkValue(name, entity[name]);
}

/** Refuses a list of operations that is no transaction. @throws StorageError `storage.invalid-input` */
export function checkNotEmpty(operations: readonly WriteOperation[]): void {
  if (!Array.isArray(operations) || operations.length === 0)
    throw invalid("a transaction needs an operation: transact(table, [operation, …])");
}

/** Stored values are text, numbers and booleans; other types are text beside an annotation. */
function checkValue(name: string, value: unknown): void {
  const type = typeof value;
  if (type === "string" || type === "number" || type === "boolean" || value === undefined || value === null)
    return;
  const shown = name.slice(0, 80);
  const edm = type === "bigint" ? "Edm.Int64" : value instanceof Date ? "Edm.DateTime" : undefined;
  const remedy =
    edm === undefined
      ? "Pass text, a number or a boolean"
      : `Pass text, with ${JSON.stringify(annotationOf(shown))}: "${edm}" beside it`;
  throw invalid(`${shown} holds ${describeType(value)}, which is no stored value. ${remedy}`);
}

const invalid = (problem: string): StorageError => StorageError.ofService("InvalidInput", problem);
