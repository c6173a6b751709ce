import type { StoredEntity } from "@partita/core/storage";
import { maxTransactionOperations } from "@partita/core/internal";
import type { ExistingRows } from "./write-rows.ts";

/**
 * Maximum number of buffered rows. Enough to fill transactions for rows of some hundred partitions in random
 * order.
 */
const mostRows = 10_000;
/** Maximum characters of their lines. */
const mostLength: number = 16 * 1024 * 1024;

/** Collects rows in any order by partition, so rows of one partition are written together. */
export class RowBuffer {
  readonly #existing: ExistingRows;
  #partitions = new Map<string, Map<string, StoredEntity>>();
  #rows = 0;
  #length = 0;

  /**
   * @param existing - for rows with the same key, `replace` holds the last and `keep` the first, like the
   * storage
   */
  constructor(existing: ExistingRows) {
    this.#existing = existing;
  }

  get isFull(): boolean {
    return this.#rows >= mostRows || this.#length >= mostLength;
  }

  /**
   * @param length - of the row's line
   * @returns `false` if a row with the same key is already buffered; one of the two is dropped
   */
  add(row: StoredEntity, length: number): boolean {
    this.#rows++;
    this.#length += length;
    let rows = this.#partitions.get(row.PartitionKey);
    if (rows === undefined) this.#partitions.set(row.PartitionKey, (rows = new Map()));
    const isNew = !rows.has(row.RowKey);
    if (isNew || this.#existing === "replace") rows.set(row.RowKey, row);
    return isNew;
  }

  /** Removes and returns all buffered rows, in groups of one partition that fit into a transaction. */
  take(): readonly (readonly StoredEntity[])[] {
    const lists: StoredEntity[][] = [];
    for (const partition of this.#partitions.values()) {
      const rows = [...partition.values()];
      for (let at = 0; at < rows.length; at += maxTransactionOperations)
        lists.push(rows.slice(at, at + maxTransactionOperations));
    }
    this.#partitions = new Map();
    this.#rows = this.#length = 0;
    return lists;
  }
}
