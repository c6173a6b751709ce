import type { TableStorage } from "@partita/core";
import type { EntityKey, StoredQuery, StoredEntity } from "@partita/core/storage";

/** A read request: the key of a point read, or a query with the number of its rows. */
export type CountedRead =
  | { readonly key: EntityKey }
  | { readonly query: StoredQuery; readonly rows: number };

/** The reads of a storage. */
export interface CountedReads {
  readonly storage: TableStorage;
  readonly reads: CountedRead[];
  /** The received rows, as JSON in UTF-8. */
  bytes: number;
  /** Maximum concurrent point reads. */
  mostAtOnce: number;
}

/** Counts the reads of a storage. */
export function countedReads(inner: TableStorage): CountedReads {
  const counts = { reads: [] as CountedRead[], bytes: 0, mostAtOnce: 0 };
  let running = 0;
  const count = (row: StoredEntity): number => (counts.bytes += Buffer.byteLength(JSON.stringify(row)));
  const own: Partial<TableStorage> = {
    get: async (table, key, options) => {
      counts.reads.push({ key });
      counts.mostAtOnce = Math.max(counts.mostAtOnce, ++running);
      const row = await inner.get(table, key, options).finally(() => running--);
      if (row !== undefined) count(row);
      return row;
    },
    query: async (table, query, options) => {
      const page = await inner.query(table, query, options);
      counts.reads.push({ query, rows: page.entities.length });
      page.entities.forEach(count);
      return page;
    },
  };
  const storage = new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(own, name) ?? Reflect.get(target, name, target);
      return typeof value === "function" ? (value as () => unknown).bind(target) : value;
    },
  });
  return Object.assign(counts, { storage });
}
