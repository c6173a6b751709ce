import type { TableStorage } from "@partita/core";
import type { ContinuationToken, StoredEntity, StoredPage, StoredQuery } from "@partita/core/storage";
import { forwardStorage } from "@partita/core/internal";

const made = "made:";

/**
 * A storage with a table `Large` of so many rows, which are made when they are asked for. If the storage has such a
 * table, its own rows come first, and they can be changed and filtered.
 */
export function withLargeTable(storage: TableStorage, rows: number): TableStorage {
  const names = async (): Promise<readonly string[]> => storage.listTables();
  return forwardStorage(storage, {
    listTables: async () => [...new Set([...(await names()), "Large"])],
    async query(table, query, options) {
      if (table !== "Large") return storage.query(table, query, options);
      const { after = "", filter } = query;
      if (after.startsWith(made)) return pageOf(rows, query);
      if (!(await names()).includes("Large")) return pageOf(rows, query);
      const page = await storage.query(table, query, options);
      if (page.next !== undefined || filter !== undefined) return page;
      return { ...page, next: `${made}0` as ContinuationToken };
    },
  });
}

function pageOf(
  rows: number,
  { after = made as ContinuationToken, top = 1000, select }: StoredQuery,
): StoredPage {
  const start = Number(after.slice(made.length));
  const end = Math.min(rows, start + Math.min(top, 1000));
  const entities = Array.from({ length: end - start }, (_, i) => rowOf(start + i, select !== undefined));
  return { entities, ...(end < rows && { next: `${made}${end}` as ContinuationToken }) };
}

const rowOf = (index: number, isKeyAlone: boolean): StoredEntity => ({
  PartitionKey: `p${String(Math.floor(index / 1000)).padStart(4, "0")}`,
  RowKey: String(index).padStart(7, "0"),
  ...(!isKeyAlone && { Number: index, Text: `row ${index}`, "odata.etag": `W/"${index}"` }),
});
