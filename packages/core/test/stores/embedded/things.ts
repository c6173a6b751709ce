import { bodyOf } from "../../../src/stores/embedded/row-body.ts";
import { checksumOf, checksumOfTable } from "../../../src/stores/embedded/row-checksum.ts";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import type { StoredEntity, WriteOperation } from "../../../src/storage.ts";

export async function memory(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await storage.createTable("Things");
  return storage;
}

export const key = { PartitionKey: "p", RowKey: "r" };

export const insert = (properties: object, rowKey = "r"): WriteOperation => ({
  type: "insert",
  entity: { ...key, RowKey: rowKey, ...properties },
});

export const read = (storage: TableStorage): Promise<StoredEntity | undefined> =>
  storage.get("Things", { partitionKey: "p", rowKey: "r" });

/** The checksum of a row of partition p in Things, the first table of its file. */
export const checksumOfThing = (rowKey: string, ts: number, body: string | Uint8Array): number =>
  checksumOf(checksumOfTable(1, "Things"), "p", rowKey, ts, bodyOf(body));
