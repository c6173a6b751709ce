import { isBase64, maxBinaryBytes } from "../edm/binary.ts";
import { parseDateTime } from "../edm/date-time-text.ts";
import { parseDouble } from "../edm/double.ts";
import { isInt64Text } from "../edm/int64.ts";
import {
  annotationOf,
  edmTypeOf,
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
  type StoredValue,
} from "../edm/stored-entity.ts";
import { maxStringLength } from "../edm/string.ts";
import { type ServiceCode, StorageError } from "../errors/storage-error.ts";
import { keyTextProblem, maxKeyLength } from "../keys/key-rules.ts";
import { isStorable, notStorable } from "./check-operation.ts";
import { isPropertyName, maxEntityBytes, maxProperties, sizeOfProperties } from "./limits.ts";

/** Properties with their annotations, without keys and system values. */
export type UserProperties = Omit<StoredEntityDraft, "PartitionKey" | "RowKey">;

/**
 * A copy of what an entity stores beside its key: absent values, system values and stray annotations are left out.
 *
 * @throws StorageError with the service's code, for a name or value that cannot be stored; names properties, never values
 */
export function userProperties(entity: StoredEntity): UserProperties {
  const properties = {} as StoredEntityDraft;
  for (const name in entity) {
    const value = entity[name] as StoredValue | null | undefined;
    if (value === undefined || value === null) continue;
    if (!isStorable(value)) throw notStorable(name, value);
    if (isSystemName(name)) continue;
    const annotationName = annotationNames.get(name) ?? checkedName(name);
    const annotation = entity[annotationName];
    const problem = problemOfValue(value, annotation);
    if (problem !== undefined) throw StorageError.ofService(problem, name);
    if (annotation !== undefined) properties[annotationName] = annotation;
    setMember(properties, name, value);
  }
  return properties;
}

/** The names of annotations, by names that are legal: a program has few of them, and each comes with every row. */
const annotationNames = new Map<string, string>();

function checkedName(name: string): string {
  if (!isPropertyName(name))
    throw StorageError.ofService(
      name.length > 255 ? "PropertyNameTooLong" : "PropertyNameInvalid",
      name.slice(0, 80),
    );
  const annotationName = annotationOf(name);
  if (annotationNames.size < 10_000) annotationNames.set(name, annotationName);
  return annotationName;
}

/**
 * @param body - the same properties as JSON
 * @param keyLength - characters of both keys
 * @throws StorageError `storage.too-many-properties` or `storage.entity-too-large`
 */
export function checkSize(properties: UserProperties, body: string, keyLength: number): void {
  // Each property takes 6 characters of JSON or more: a short text has few of them, and few bytes.
  if (body.length < 6 * maxProperties) return;
  const { bytes, count } = sizeOfProperties(properties, 2 * keyLength);
  if (count > maxProperties) throw StorageError.ofService("TooManyProperties", `${count}`);
  if (bytes > maxEntityBytes) throw StorageError.ofService("EntityTooLarge", `${bytes} bytes`);
}

/** @throws StorageError for keys the service does not store */
export function checkStoredKey(partitionKey: string, rowKey: string): void {
  for (const text of [partitionKey, rowKey]) {
    if (typeof text !== "string") throw StorageError.ofService("PropertiesNeedValue");
    if (text.length > maxKeyLength) throw StorageError.ofService("PropertyValueTooLarge", "key");
    if (keyTextProblem(text) !== undefined)
      throw StorageError.ofService("OutOfRangeInput", "forbidden character in key");
  }
}

function problemOfValue(value: StoredValue, annotation: StoredValue | undefined): ServiceCode | undefined {
  const edm = edmTypeOf(value, annotation);
  switch (edm) {
    case "Edm.String":
      if (typeof value !== "string" || !value.isWellFormed()) return "InvalidInput";
      return value.length > maxStringLength ? "PropertyValueTooLarge" : undefined;
    case "Edm.Binary":
      if (typeof value !== "string" || !isBase64(value)) return "InvalidInput";
      return Buffer.byteLength(value, "base64") > maxBinaryBytes ? "PropertyValueTooLarge" : undefined;
    case "Edm.Int32":
      return typeof value === "number" && (value | 0) === value ? undefined : "InvalidInput";
    case "Edm.Int64":
      return typeof value === "string" && isInt64Text(value) ? undefined : "InvalidInput";
    case "Edm.Double":
      return isDouble(value) ? undefined : "InvalidInput";
    case "Edm.Boolean":
      return typeof value === "boolean" ? undefined : "InvalidInput";
    case "Edm.Guid":
      return typeof value === "string" && guid.test(value) ? undefined : "InvalidInput";
    case "Edm.DateTime":
      return problemOfDateTime(value);
    default:
      edm satisfies never;
      return "InvalidInput";
  }
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Specials are text: JSON would turn a number NaN into null. */
const isDouble = (value: StoredValue): boolean =>
  typeof value === "number" ? Number.isFinite(value) : parseDouble(value) !== undefined;

function problemOfDateTime(value: StoredValue): ServiceCode | undefined {
  if (typeof value !== "string" || parseDateTime(value) === undefined) return "InvalidInput";
  return value < "1601" ? "OutOfRangeInput" : undefined;
}
