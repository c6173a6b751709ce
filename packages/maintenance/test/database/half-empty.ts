import { openStorage } from "@partita/core";
import type { WriteOperation } from "@partita/core/storage";

/** Writes rows of about 1 KB to a new file, and deletes every other one. */
export async function fillAndHalve(path: string, count: number): Promise<void> {
  await using storage = await openStorage(`file:${path}`, { durability: "normal" });
  await storage.createTable("Things");
  const keys = Array.from({ length: count }, (_, i) => String(i).padStart(8, "0"));
  const all = async (rowKeys: readonly string[], operationOf: (rowKey: string) => WriteOperation) => {
    for (let i = 0; i < rowKeys.length; i += 100)
      await storage.transact("Things", rowKeys.slice(i, i + 100).map(operationOf));
  };
  await all(keys, (RowKey) => ({
    type: "insert",
    entity: { PartitionKey: "old", RowKey, text: RowKey.repeat(128) },
  }));
  await all(
    keys.filter((_, i) => i % 2 === 0),
    (rowKey) => ({ type: "delete", key: { partitionKey: "old", rowKey }, etag: "*" }),
  );
}
