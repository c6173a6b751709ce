import type { StoredEntity } from "@partita/core/storage";
import { maxTransactionOperations } from "@partita/core/internal";
import type { ExistingRows } from "./write-rows.ts";

/** Rows that are held at most: enough that rows of some hundred partitions, mixed at random, fill transactions. */
const mostRows = 10_000;
/** Characters of their lines at most. */
const mostLength: number = 16 * 1024 * 1024;

/** Collects rows that come in any order by their partitions, so that those of one partition are written together. */
export class RowBuffer {
  readonly #existing: ExistingRows;
  #partitions = new Map<string, Map<string, StoredEntity>>();
  #rows = 0;
  #length = 0;

  /** @param existing - of rows with one key, `replace` holds the last, and `keep` the first, as a store would */
  constructor(existing: ExistingRows) {
    this.#existing = existing;
  }

  get isFull(): boolean {
    return this.#rows >= mostRows || this.#length >= mostLength;
  }

  /**
   * @param length - of the row's line
   * @returns false where a row of the same key is held already: one of the two is dropped
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

  /** All rows that are held, in lists of one partition that a transaction may take; none is held any longer. */
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
