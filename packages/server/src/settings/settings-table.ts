import { StorageError, type TableStorage } from "@partita/core";
import type { RequestOptions, StoredEntity, StoredQuery, WriteOperation } from "@partita/core/storage";
import { compare, textLiteral } from "@partita/core/protocol";
import { followPages, internalTables, isOvertaken } from "@partita/core/internal";
import { ServiceFault } from "../wire/service-fault.ts";

/**
 * The table with an account's access policies and service properties. It is in the same storage as the account's own
 * tables, so backups include it, and all servers over the storage share it. It is created with the first setting, and
 * hidden from clients of the server.
 */
export const settingsTable: string = internalTables.serverSettings;

/**
 * All types of settings. Those of queues are in the same table, since one storage may be served as tables and queues.
 */
const types = [
  "policies",
  "properties",
  "queue-policies",
  "queue-properties",
  "queue-metadata",
  "blob-policies",
  "blob-properties",
] as const;

export type SettingType = (typeof types)[number];

/** The key of a setting. */
export interface SettingKey {
  readonly type: SettingType;
  /** For policies, the table in lower case or the queue; for metadata, the queue; empty for properties. */
  readonly name: string;
}

/** A stored setting: a document in the form of the protocol. */
export interface StoredSetting extends SettingKey {
  readonly document: string;
  readonly etag: string;
}

/** Maximum number of characters of a document, which is the limit of one property. */
export const maxDocument = 32_768;

/**
 * Reads a setting; undefined if it is not set.
 *
 * @throws ServiceFault `InternalError` if the table has other contents than settings
 */
export async function readSetting(
  storage: TableStorage,
  { type, name }: SettingKey,
  options?: RequestOptions,
): Promise<StoredSetting | undefined> {
  const key = { partitionKey: type, rowKey: name };
  const row = await orNothing(storage.get(settingsTable, key, options));
  return row === undefined ? undefined : settingOf(row);
}

/** Reads one row or finds out that there is none, to see whether the storage responds. */
export async function probeSettings(storage: TableStorage, signal: AbortSignal): Promise<void> {
  await orNothing(storage.get(settingsTable, { partitionKey: "properties", rowKey: "" }, { signal }));
}

/** Reads all settings of a type. @throws ServiceFault as `readSetting` */
export async function readSettings(storage: TableStorage, type: SettingType): Promise<StoredSetting[]> {
  const ofType: StoredQuery = { filter: compare("eq", "PartitionKey", textLiteral(type)) };
  const read = async (): Promise<StoredEntity[]> => {
    const rows: StoredEntity[] = [];
    for await (const { entities } of followPages(storage, settingsTable, ofType)) rows.push(...entities);
    return rows;
  };
  return ((await orNothing(read())) ?? []).map(settingOf);
}

/**
 * Refuses a table with this name that another program created, before the server starts. It reads one row.
 *
 * @throws StorageError `storage.foreign-settings`
 */
export async function checkSettings(storage: TableStorage): Promise<void> {
  const page = await orNothing(storage.query(settingsTable, { top: 1 }));
  const [row] = page?.entities ?? [];
  if (row === undefined || isSetting(row)) return;
  throw new StorageError(
    "storage.foreign-settings",
    `The table ${settingsTable} of ${storage.description} ${remedy}`,
    { applied: "no" },
  );
}

/** Parses a document. @throws ServiceFault `InternalError` if it is not a document of a server */
export function parseDocument<Result>(
  { document }: StoredSetting,
  parse: (document: string) => Result,
): Result {
  try {
    return parse(document);
  } catch {
    throw foreignSettings();
  }
}

/** Stores a setting, and replaces the former one. */
export async function writeSetting(storage: TableStorage, key: SettingKey, document: string): Promise<void> {
  await write(storage, { type: "upsert-replace", entity: entityOf(key, document) });
}

/**
 * Stores a setting if no other server has changed it.
 *
 * @param former - the setting that was read; undefined if it was not set
 * @returns the new setting; undefined if another server was first
 */
export async function replaceSetting(
  storage: TableStorage,
  key: SettingKey,
  document: string,
  former: StoredSetting | undefined,
): Promise<StoredSetting | undefined> {
  const entity = entityOf(key, document);
  try {
    const { etag = "*" } = await write(
      storage,
      former === undefined ? { type: "insert", entity } : { type: "replace", entity, etag: former.etag },
    );
    return { ...key, document, etag };
  } catch (error) {
    if (isOvertaken(error) || isTaken(error)) return undefined;
    throw error;
  }
}

/**
 * Deletes a setting, if it is stored.
 *
 * @param former - its key; a setting that was read is deleted only if no other server has changed it
 * @returns whether it was deleted
 */
export async function removeSetting(
  storage: TableStorage,
  former: SettingKey & { readonly etag?: string },
): Promise<boolean> {
  const { type, name, etag = "*" } = former;
  try {
    const key = { partitionKey: type, rowKey: name };
    await storage.write(settingsTable, { type: "delete", key, etag });
    return true;
  } catch (error) {
    if (isOvertaken(error)) return false;
    throw error;
  }
}

/** Writes a row, and creates the table for the first one. */
async function write(storage: TableStorage, operation: WriteOperation): ReturnType<TableStorage["write"]> {
  try {
    return await storage.write(settingsTable, operation);
  } catch (error) {
    if (!(StorageError.is(error) && error.serviceCode === "TableNotFound")) throw error;
    await storage.createTable(settingsTable).catch((refusal: unknown) => {
      // Another server on the same storage created it first.
      if (!(StorageError.is(refusal) && refusal.serviceCode === "TableAlreadyExists")) throw refusal;
    });
    return storage.write(settingsTable, operation);
  }
}

const entityOf = ({ type, name }: SettingKey, document: string): StoredEntity => ({
  PartitionKey: type,
  RowKey: name,
  Document: document,
});

/** The result of a read; undefined if nothing was set yet, or the table may not be read. */
async function orNothing<Result>(read: Promise<Result>): Promise<Result | undefined> {
  try {
    return await read;
  } catch (error) {
    // The storage's credential may be a signature for other tables; then nothing can be set either.
    if (StorageError.is(error) && (error.status === 404 || error.status === 403)) return undefined;
    throw error;
  }
}

function settingOf(row: StoredEntity): StoredSetting {
  if (!isSetting(row)) throw foreignSettings();
  const { PartitionKey: type, RowKey: name, Document: document, "odata.etag": etag = "*" } = row;
  return { type: type as SettingType, name, document, etag };
}

const isSetting = (row: StoredEntity): row is StoredEntity & { readonly Document: string } =>
  types.some((type) => type === row.PartitionKey) && typeof row["Document"] === "string";

const remedy =
  "has other contents than a server's settings. Copy its rows to a table with another name, and delete it.";

/** The response while the table has other contents. It does not name the storage, which is private. */
const foreignSettings = (): ServiceFault =>
  new ServiceFault("InternalError", { message: `The table ${settingsTable} ${remedy}` });

const isTaken = (error: unknown): boolean =>
  StorageError.is(error) && error.serviceCode === "EntityAlreadyExists";
