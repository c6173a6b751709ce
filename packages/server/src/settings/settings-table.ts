import { StorageError, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { followPages, internalTables } from "@partita/core/internal";

/**
 * The table with an account's access policies and service properties. It is in the same storage as the account's own
 * tables, so backups include it. It is created with the first setting, and hidden from clients of the server.
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

/** A setting: a document in the form of the protocol. */
export interface StoredSetting {
  readonly type: SettingType;
  /** For policies, the table in lower case or the queue; for metadata, the queue; empty for properties. */
  readonly name: string;
  readonly document: string;
}

/** Maximum number of characters of a document, which is the limit of one property. */
export const maxDocument = 32_768;

/**
 * Reads all settings of a storage, for tables and queues; none if nothing was set yet, or the table may not be read.
 * @throws StorageError `storage.foreign-settings`
 */
export async function readSettings(storage: TableStorage): Promise<StoredSetting[]> {
  const rows: StoredEntity[] = [];
  try {
    for await (const { entities } of followPages(storage, settingsTable, {})) rows.push(...entities);
  } catch (error) {
    // The storage's credential may be a signature for other tables; then nothing can be set either.
    if (isMissing(error) || (StorageError.is(error) && error.status === 403)) return [];
    throw error;
  }
  return rows.map((row) => settingOf(row, storage));
}

function settingOf(row: StoredEntity, storage: TableStorage): StoredSetting {
  const { PartitionKey: type, RowKey: name, Document: document } = row;
  const known = types.find((one) => one === type);
  if (known !== undefined && typeof document === "string") return { type: known, name, document };
  throw foreignSettings(storage);
}

/** The error for a table with this name and other contents. */
export const foreignSettings = (storage: TableStorage): StorageError =>
  new StorageError(
    "storage.foreign-settings",
    `The table ${settingsTable} of ${storage.description} has other contents than a server's settings. Copy its rows to a table with another name, and delete it.`,
    { applied: "no" },
  );

/** Stores a setting, and replaces the former one. */
export async function writeSetting(
  storage: TableStorage,
  { type, name, document }: StoredSetting,
): Promise<void> {
  const write = (): Promise<unknown> =>
    storage.write(settingsTable, {
      type: "upsert-replace",
      entity: { PartitionKey: type, RowKey: name, Document: document },
    });
  try {
    await write();
  } catch (error) {
    if (!isMissing(error)) throw error;
    await storage.createTable(settingsTable).catch((refusal: unknown) => {
      // Another server on the same storage created it first.
      if (!(StorageError.is(refusal) && refusal.serviceCode === "TableAlreadyExists")) throw refusal;
    });
    await write();
  }
}

/** Deletes a setting, if it is stored. */
export async function removeSetting(
  storage: TableStorage,
  { type, name }: Pick<StoredSetting, "type" | "name">,
): Promise<void> {
  try {
    const key = { partitionKey: type, rowKey: name };
    await storage.write(settingsTable, { type: "delete", key, etag: "*" });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

const isMissing = (error: unknown): boolean => StorageError.is(error) && error.status === 404;
