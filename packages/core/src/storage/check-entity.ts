import { isBase64, maxBinaryBytes } from "../edm/binary.ts";
import { parseDateTime } from "../edm/date-time-text.ts";
import { parseDouble } from "../edm/double.ts";
import { isInt64Text } from "../edm/int64.ts";
import {
  annotationOf,
  edmTypeOf,
  type EntityKey,
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
  type StoredValue,
} from "../edm/stored-entity.ts";
import { maxStringLength } from "../edm/string.ts";
import { type ServiceCode, StorageError } from "../errors/storage-error.ts";
import { keyTextProblem, maxKeyLength } from "../keys/key-rules.ts";
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
    if (isSystemName(name) || value === undefined || value === null) continue;
    if (!isKnownName(name))
      throw StorageError.ofService(
        name.length > 255 ? "PropertyNameTooLong" : "PropertyNameInvalid",
        name.slice(0, 80),
      );
    const annotation = entity[annotationOf(name)];
    const problem = problemOfValue(value, annotation);
    if (problem !== undefined) throw StorageError.ofService(problem, name);
    if (annotation !== undefined) properties[annotationOf(name)] = annotation;
    setMember(properties, name, value);
  }
  return properties;
}

/** @throws StorageError `storage.too-many-properties` or `storage.entity-too-large` */
export function checkSize(properties: UserProperties, { partitionKey, rowKey }: EntityKey): void {
  const { bytes, count } = sizeOfProperties(properties, 2 * (partitionKey.length + rowKey.length));
  if (count > maxProperties) throw StorageError.ofService("TooManyProperties", `${count}`);
  if (bytes > maxEntityBytes) throw StorageError.ofService("EntityTooLarge", `${bytes} bytes`);
}

/** Returns the key. @throws StorageError for keys the service does not store */
export function checkStoredKey(key: EntityKey): EntityKey {
  for (const text of [key?.partitionKey, key?.rowKey]) {
    if (typeof text !== "string") throw StorageError.ofService("PropertiesNeedValue");
    if (text.length > maxKeyLength) throw StorageError.ofService("PropertyValueTooLarge", "key");
    if (keyTextProblem(text) !== undefined)
      throw StorageError.ofService("OutOfRangeInput", "forbidden character in key");
  }
  return key;
}

/** Names seen to be legal: a program has few of them, and each comes with every row. */
const knownNames = new Set<string>();

function isKnownName(name: string): boolean {
  if (knownNames.has(name)) return true;
  if (!isPropertyName(name)) return false;
  if (knownNames.size < 10_000) knownNames.add(name);
  return true;
}

function problemOfValue(value: StoredValue, annotation: StoredValue | undefined): ServiceCode | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    return "InvalidInput";
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
