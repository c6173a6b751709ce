import type { TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";

const text = "The quick brown fox, 17 years old, jumps over the lazy dog. ".repeat(15);

/** A row of roughly this many bytes, for the benchmarks of servers. */
export const thing = (partition: string, i: number, bytes: number = 1_000): StoredEntity => ({
  PartitionKey: partition,
  RowKey: String(i).padStart(6, "0"),
  n: i,
  word: `word ${i}`,
  price: 1.5,
  "views@odata.type": "Edm.Int64",
  views: String(i * 1000),
  text: text.slice(0, Math.max(0, bytes - 100)),
});

/** Inserts rows in transactions of 100. */
export async function insertThings(
  storage: TableStorage,
  table: string,
  rows: readonly StoredEntity[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += 100)
    await storage.transact(
      table,
      rows.slice(from, from + 100).map((entity) => ({ type: "insert", entity })),
    );
}
