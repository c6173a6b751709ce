import { StorageError, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { followPages, internalTables } from "@partita/core/internal";

/**
 * The table that a server keeps an account's access policies and service properties in, beside the account's own tables:
 * they are saved, copied and restored with them. It comes with the first setting, and clients of the server have none of
 * this name.
 */
export const settingsTable: string = internalTables.serverSettings;

/** Every kind of setting. Those of queues stand beside those of tables: one storage may be served as both. */
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

/** One setting: a document as the protocol writes it. */
export interface StoredSetting {
  readonly type: SettingType;
  /** For policies their table in lower case, or their queue, as for metadata; empty for properties. */
  readonly name: string;
  readonly document: string;
}

/** Characters of a document at most: what one property holds. */
export const maxDocument = 32_768;

/** Reads all settings of a storage, those of its tables and of its queues; none where nothing was set yet, or the table may not be read. @throws StorageError `storage.foreign-settings` */
export async function readSettings(storage: TableStorage): Promise<StoredSetting[]> {
  const rows: StoredEntity[] = [];
  try {
    for await (const { entities } of followPages(storage, settingsTable, {})) rows.push(...entities);
  } catch (error) {
    // A signature for other tables may be all that there is: nobody can set anything then.
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

/** The error for a table of this name that holds something else. */
export const foreignSettings = (storage: TableStorage): StorageError =>
  new StorageError(
    "storage.foreign-settings",
    `The table ${settingsTable} of ${storage.description} holds something else than the settings of a server. Copy what is in it to a table of another name, and delete it.`,
    { applied: "no" },
  );

/** Stores a setting, in place of the one before it. */
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
      // Another server on the same storage was first.
      if (!(StorageError.is(refusal) && refusal.serviceCode === "TableAlreadyExists")) throw refusal;
    });
    await write();
  }
}

/** Removes a setting, whether or not it is stored. */
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
