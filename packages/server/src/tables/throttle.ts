import { StorageError, type TableStorage } from "@partita/core";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import { forwardStorage } from "@partita/core/internal";

/** The remaining tokens of one partition. */
interface Bucket {
  tokens: number;
  /** The time of the last count. */
  at: number;
}

/** The allowed burst: the entities of this many seconds. */
const burstSeconds = 0.1;
/** Approximate maximum number of buckets; those of idle partitions are full, and are dropped. */
const manyBuckets = 10_000;

/**
 * Limits the entities of each partition per second, with a token bucket for each (the traffic-shaping algorithm). The
 * entities of a query are only known after reading. So a request is allowed while any token is left and its entities
 * are charged afterwards, if necessary as a debt: a page of a thousand is allowed, and the next ones wait longer.
 */
export class Throttle {
  readonly #rate: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /**
   * @param rate - entities per second and partition
   * @param now - returns milliseconds since an arbitrary moment
   */
  constructor(rate: number, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /**
   * The storage for one request. It throws StorageError `storage.server-busy` if a partition has no tokens left, before
   * a write and after a read. A request that was allowed may continue, page by page, and read the rows that it wrote.
   */
  limitRequest(storage: TableStorage): TableStorage {
    const admitted = new Set<string>();
    let hasWritten = false;
    const admit = (id: string): void => {
      if (admitted.has(id)) return;
      if (this.#tokensOf(id).tokens <= 0) throw StorageError.ofService("ServerBusy");
      admitted.add(id);
    };
    const chargeRead = (id: string, count: number): void => {
      if (!hasWritten) this.#tokensOf(id).tokens -= count;
    };
    const write = async <Result>(
      table: string,
      operations: readonly WriteOperation[],
      send: () => Promise<Result>,
    ): Promise<Result> => {
      const [first] = operations;
      const id = idOf(table, first === undefined ? "" : partitionOf(first));
      admit(id);
      hasWritten = true;
      this.#tokensOf(id).tokens -= operations.length;
      return send();
    };
    return forwardStorage(storage, {
      async query(table, query, options) {
        const page = await storage.query(table, query, options);
        for (const [partition, count] of countByPartition(page.entities)) {
          const id = idOf(table, partition);
          admit(id);
          chargeRead(id, count);
        }
        return page;
      },
      async get(table, key, options) {
        const id = idOf(table, key.partitionKey);
        admit(id);
        chargeRead(id, 1);
        return storage.get(table, key, options);
      },
      write: (table, operation, options) =>
        write(table, [operation], () => storage.write(table, operation, options)),
      transact: (table, operations, options) =>
        write(table, operations, () => storage.transact(table, operations, options)),
    });
  }

  /** A partition's bucket, refilled for the time since the last use. */
  #tokensOf(id: string): Bucket {
    const at = this.#now();
    const most = this.#rate * burstSeconds;
    const bucket = this.#buckets.get(id);
    if (bucket === undefined) {
      if (this.#buckets.size >= manyBuckets) this.#removeFull(at);
      const full = { tokens: most, at };
      this.#buckets.set(id, full);
      return full;
    }
    bucket.tokens = Math.min(most, bucket.tokens + ((at - bucket.at) / 1000) * this.#rate);
    bucket.at = at;
    return bucket;
  }

  #removeFull(now: number): void {
    const most = this.#rate * burstSeconds;
    for (const [id, { tokens, at }] of this.#buckets)
      if (tokens + ((now - at) / 1000) * this.#rate >= most) this.#buckets.delete(id);
  }
}

/** Table names contain no line break. */
const idOf = (table: string, partitionKey: string): string => `${table.toLowerCase()}\n${partitionKey}`;

const partitionOf = (operation: WriteOperation): string =>
  operation.type === "delete" ? operation.key.partitionKey : operation.entity.PartitionKey;

function countByPartition(entities: readonly StoredEntity[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { PartitionKey } of entities) counts.set(PartitionKey, (counts.get(PartitionKey) ?? 0) + 1);
  return counts;
}
