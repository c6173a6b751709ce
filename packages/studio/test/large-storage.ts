import type { TableStorage } from "@partita/core";
import type { ContinuationToken, StoredPage, StoredEntity, StoredQuery } from "@partita/core/storage";
import { forwardStorage } from "@partita/core/internal";

/** A storage with a table `Large` of so many rows, which are made when they are asked for. */
export function withLargeTable(storage: TableStorage, rows: number): TableStorage {
  return forwardStorage(storage, {
    listTables: async () => [...(await storage.listTables()), "Large"],
    query: async (table, query) => (table === "Large" ? pageOf(rows, query) : storage.query(table, query)),
  });
}

function pageOf(rows: number, { after, top = 1000, select }: StoredQuery): StoredPage {
  const start = Number(after ?? 0);
  const end = Math.min(rows, start + Math.min(top, 1000));
  const entities = Array.from({ length: end - start }, (_, i) => rowOf(start + i, select !== undefined));
  return { entities, ...(end < rows && { next: String(end) as ContinuationToken }) };
}

const rowOf = (index: number, isKeyAlone: boolean): StoredEntity => ({
  PartitionKey: `p${String(Math.floor(index / 1000)).padStart(4, "0")}`,
  RowKey: String(index).padStart(7, "0"),
  ...(!isKeyAlone && { Number: index, Text: `row ${index}`, "odata.etag": `W/"${index}"` }),
});
