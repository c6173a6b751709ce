import { isDate } from "../values/errors/built-ins.ts";
import { findEdmType, formsOf } from "../values/edm/edm-types.ts";
import { isPropertyName, shownName } from "../values/edm/property-name.ts";
import {
  annotationOf,
  edmTypeOf,
  type EntityKey,
  isSystemName,
  type StoredEntity,
  type StoredEntityDraft,
  type StoredValue,
} from "../values/edm/stored-entity.ts";
import { isInRange, setTyped, type TypedValue, typedValue } from "../values/edm/typed-value.ts";
import { describeType } from "../values/errors/serialization-error.ts";
import { type ServiceCode, StorageError } from "../values/errors/storage-error.ts";
import { maxEntityBytes, maxProperties, sizeOfProperties } from "./limits.ts";
import { EncodedWrite, type WriteOperation } from "./write-operation.ts";

/** Stored values are text, numbers and booleans; other types are text with an annotation. */
const isStoredValue = (value: unknown): value is StoredValue =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** Properties with their annotations, without keys and system values. */
export type UserProperties = Omit<StoredEntityDraft, "PartitionKey" | "RowKey">;

/**
 * Copies an entity's properties without its key, each in its stored form. Absent values, system values and stray
 * annotations are left out.
 *
 * @throws StorageError with the service's code, for a name or value that cannot be stored; it names properties, never
 *   values
 */
export function userProperties(entity: StoredEntity): UserProperties {
  const properties = {} as StoredEntityDraft;
  for (const name in entity) {
    const value = entity[name] as StoredValue | null | undefined;
    if (value === undefined || value === null) continue;
    if (!isStoredValue(value)) throw notStorable(name, value);
    if (isSystemName(name)) continue;
    const annotationName = annotationNames.get(name) ?? checkedName(name);
    const annotation = entity[annotationName];
    const stored = storedValue(value, annotation);
    if (typeof stored === "string") throw StorageError.ofService(stored, name);
    setTyped(properties, name, stored);
  }
  return properties;
}

/** Annotation names by property name: a program has few, and uses each for every row. */
const annotationNames = new Map<string, string>();

function checkedName(name: string): string {
  if (!isPropertyName(name))
    throw StorageError.ofService(
      name.length > 255 ? "PropertyNameTooLong" : "PropertyNameInvalid",
      shownName(name),
    );
  const annotationName = annotationOf(name);
  if (annotationNames.size < 10_000) annotationNames.set(name, annotationName);
  return annotationName;
}

/**
 * @param length - of the properties as JSON, in characters or in bytes
 * @param keyLength - characters of both keys
 * @param shapeOf - the properties, with packed bytes replaced by texts; called only if there may be too many
 * @throws StorageError `storage.too-many-properties` or `storage.entity-too-large`
 */
export function checkSize(length: number, keyLength: number, shapeOf: () => UserProperties): void {
  // Each property takes at least 6 characters of JSON, so a short text has few properties and few bytes.
  if (length < 6 * maxProperties) return;
  const { bytes, count } = sizeOfProperties(shapeOf(), 2 * keyLength);
  if (count > maxProperties) throw StorageError.ofService("TooManyProperties", `${count}`);
  if (bytes > maxEntityBytes) throw StorageError.ofService("EntityTooLarge", `${bytes} bytes`);
}

/** Returns a value in its stored form, or the service's code if it does not match its EDM type or exceeds a limit. */
export function storedValue(
  value: StoredValue,
  annotation: StoredValue | undefined,
): TypedValue | ServiceCode {
  const edm = edmTypeOf(value, annotation);
  const typed = typedValue(value, edm);
  if (typed === undefined) return "InvalidInput";
  if (!isInRange(typed)) return "OutOfRangeInput";
  return formsOf(edm).isTooLarge?.(typed.value) === true ? "PropertyValueTooLarge" : typed;
}

const types: readonly unknown[] = [
  "insert",
  "merge",
  "replace",
  "upsert-merge",
  "upsert-replace",
  "delete",
] satisfies WriteOperation["type"][];

/**
 * Refuses an operation with a value that cannot be sent: JSON and UTF-8 could not represent it, or would change it. The
 * service checks other limits.
 *
 * @throws StorageError with the code of a storage that checks everything; it names the property, never its value
 */
export function checkOperation(operation: WriteOperation): void {
  if (!types.includes(operation?.type)) throw notAnOperation();
  if (operation.type === "delete") return checkKeyForm(operation.key);
  const { entity } = operation;
  if (typeof entity !== "object" || entity === null) throw notAnEntity(operation.type);
  for (const name in entity) {
    const value: unknown = entity[name];
    if (value === undefined || value === null) continue;
    if (!isStoredValue(value)) throw notStorable(name, value);
    const problem = problemOfForm(name, value, entity);
    if (problem !== undefined) throw StorageError.ofService(problem, shownName(name));
  }
}

function checkKeyForm(key: Partial<EntityKey> | undefined): void {
  for (const text of [key?.partitionKey, key?.rowKey])
    if (typeof text === "string" && !text.isWellFormed())
      throw StorageError.ofService("OutOfRangeInput", "lone surrogate in key");
}

/** The reason why a value cannot be sent: invalid Unicode, or a value that does not match its annotation. */
function problemOfForm(name: string, value: StoredValue, entity: StoredEntity): ServiceCode | undefined {
  if (!name.isWellFormed()) return "PropertyNameInvalid";
  // NaN and infinities are stored as text, since JSON would turn the numbers into null.
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "InvalidInput";
  if (typeof value !== "string") return undefined;
  if (!value.isWellFormed())
    return name === "PartitionKey" || name === "RowKey" ? "OutOfRangeInput" : "InvalidInput";
  const type = name.endsWith(annotationOf("")) ? findEdmType(value) : undefined;
  const annotated = entity[name.slice(0, -annotationOf("").length)];
  return type === undefined || annotated === undefined || type.parse(annotated) !== undefined
    ? undefined
    : "InvalidInput";
}

/**
 * Prepares one operation, and refuses it if the service would.
 *
 * @param prepare - makes the store's form, and throws StorageErrors with the service's codes
 * @throws StorageError
 */
export function prepareOne<Prepared>(
  operation: WriteOperation,
  prepare: (operation: WriteOperation) => Prepared,
): Prepared {
  try {
    return prepare(operation);
  } catch (error) {
    // A service's client refuses values that cannot be sent before the service can refuse anything else.
    if (!EncodedWrite.is(operation)) checkOperation(operation);
    throw error;
  }
}

/** Checks the operations of a transaction; an error names the operation. @throws StorageError */
export function checkOperations(operations: readonly WriteOperation[]): void {
  checkNotEmpty(operations);
  for (let index = 0; index < operations.length; index++) {
    const operation = operations[index] as WriteOperation;
    // The encoder already checked more than this.
    if (EncodedWrite.is(operation)) continue;
    try {
      checkOperation(operation);
    } catch (error) {
      throw StorageError.is(error) ? error.atIndex(index) : error;
    }
  }
}

/** The error for an operation of an unknown type. */
export const notAnOperation = (): StorageError =>
  invalid(`an operation must have one of the types ${types.join(", ")}`);

/** The error for an operation without an entity. */
export const notAnEntity = (type: WriteOperation["type"]): StorageError => invalid(`${type} needs an entity`);

/** Refuses an empty list of operations. @throws StorageError `storage.invalid-input` */
export function checkNotEmpty(operations: readonly WriteOperation[]): void {
  if (!Array.isArray(operations) || operations.length === 0)
    throw invalid("a transaction needs at least one operation: transact(table, [operation, …])");
}

function notStorable(name: string, value: unknown): StorageError {
  const shown = name.slice(0, 80);
  const edm = typeof value === "bigint" ? "Edm.Int64" : isDate(value) ? "Edm.DateTime" : undefined;
  const remedy =
    edm === undefined
      ? "Pass text, a number or a boolean"
      : `Pass text together with ${JSON.stringify(annotationOf(shown))}: "${edm}"`;
  return invalid(`${shown} holds ${describeType(value)}, which cannot be stored. ${remedy}`);
}

const invalid = (problem: string): StorageError => StorageError.ofService("InvalidInput", problem);
