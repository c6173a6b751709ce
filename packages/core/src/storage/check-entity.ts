import { maxBinaryBytes } from "../edm/binary.ts";
import { parseDateTime } from "../edm/date-time-text.ts";
import { parseDouble } from "../edm/double.ts";
import {
  annotationOf,
  edmTypeOf,
  type EntityKey,
  isSystemName,
  type StoredEntity,
  type StoredValue,
} from "../edm/stored-entity.ts";
import { maxStringLength } from "../edm/string.ts";
import { type ServiceCode, StorageError } from "../errors/storage-error.ts";
import { keyTextProblem, maxKeyLength } from "../keys/key-rules.ts";
import { isPropertyName, maxEntityBytes, maxProperties, sizeOfEntity } from "./limits.ts";

/**
 * Refuses what the service refuses: keys, property names, values that are not of their EDM type, and sizes.
 *
 * @throws StorageError with the service's code; names properties, never values
 */
export function checkStoredEntity(entity: StoredEntity): void {
  checkStoredKey({ partitionKey: entity.PartitionKey, rowKey: entity.RowKey });
  for (const name in entity) {
    if (isSystemName(name)) continue;
    if (!isPropertyName(name))
      throw StorageError.ofService(
        name.length > 255 ? "PropertyNameTooLong" : "PropertyNameInvalid",
        name.slice(0, 80),
      );
    const problem = problemOfValue(entity[name] as StoredValue, entity[annotationOf(name)]);
    if (problem !== undefined) throw StorageError.ofService(problem, name);
  }
  checkSize(entity);
}

/** @throws StorageError `storage.too-many-properties` or `storage.entity-too-large` */
export function checkSize(entity: StoredEntity): void {
  const size = sizeOfEntity(entity);
  if (size.properties > maxProperties)
    throw StorageError.ofService("TooManyProperties", `${size.properties}`);
  if (size.bytes > maxEntityBytes) throw StorageError.ofService("EntityTooLarge", `${size.bytes} bytes`);
}

/** @throws StorageError for keys the service does not store */
export function checkStoredKey({ partitionKey, rowKey }: EntityKey): void {
  for (const key of [partitionKey, rowKey]) {
    if (typeof key !== "string") throw StorageError.ofService("PropertiesNeedValue");
    if (key.length > maxKeyLength) throw StorageError.ofService("PropertyValueTooLarge", "key");
    if (keyTextProblem(key) !== undefined)
      throw StorageError.ofService("OutOfRangeInput", "forbidden character in key");
  }
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
      if (typeof value !== "string" || !base64.test(value)) return "InvalidInput";
      return Buffer.byteLength(value, "base64") > maxBinaryBytes ? "PropertyValueTooLarge" : undefined;
    case "Edm.Int32":
      return typeof value === "number" && (value | 0) === value ? undefined : "InvalidInput";
    case "Edm.Int64":
      return typeof value === "string" && isInt64(value) ? undefined : "InvalidInput";
    case "Edm.Double":
      return parseDouble(value) === undefined ? "InvalidInput" : undefined;
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

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const int64 = /^-?\d{1,19}$/;

const isInt64 = (text: string): boolean =>
  int64.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

function problemOfDateTime(value: StoredValue): ServiceCode | undefined {
  if (typeof value !== "string" || parseDateTime(value) === undefined) return "InvalidInput";
  return value < "1601" ? "OutOfRangeInput" : undefined;
}
