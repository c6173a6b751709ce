import type { TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";

/** Chunks as a source. */
export async function* sourceOf<Chunk>(...chunks: readonly Chunk[]): AsyncGenerator<Chunk> {
  yield* chunks;
}

/** All rows of a table without ETags and Timestamps. */
export async function rowsOf(storage: TableStorage, table: string): Promise<StoredEntity[]> {
  const rows: StoredEntity[] = [];
  let after: Awaited<ReturnType<TableStorage["query"]>>["next"];
  do {
    const page = await storage.query(table, after === undefined ? {} : { after });
    for (const { "odata.etag": _, Timestamp: __, ...row } of page.entities) rows.push(row as StoredEntity);
    after = page.next;
  } while (after !== undefined);
  return rows;
}

/** Writes rows with any keys. Later rows replace earlier ones. */
export async function fill(
  storage: TableStorage,
  table: string,
  rows: readonly StoredEntity[],
): Promise<void> {
  await storage.createTable(table);
  const partitions = new Map<string, Map<string, StoredEntity>>();
  for (const row of rows) {
    const partition = partitions.get(row.PartitionKey) ?? new Map<string, StoredEntity>();
    partitions.set(row.PartitionKey, partition.set(row.RowKey, row));
  }
  for (const partition of partitions.values()) {
    const unique = [...partition.values()];
    for (let at = 0; at < unique.length; at += 100)
      await storage.transact(
        table,
        unique.slice(at, at + 100).map((entity) => ({ type: "insert", entity })),
      );
  }
}
