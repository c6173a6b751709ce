import type { StoredEntity } from "@partita/core/storage";
import { keyOfStored, maxTransactionOperations } from "@partita/core/internal";
import { hasSameProperties } from "@partita/core/internal/jobs";
import { type ExistingRows, mergedRow } from "./existing-rows.ts";
import { TransferError } from "./transfer-error.ts";

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

  /** @param existing - applies to rows with the same key here too, so the result does not depend on the buffer */
  constructor(existing: ExistingRows) {
    this.#existing = existing;
  }

  get isFull(): boolean {
    return this.#rows >= mostRows || this.#length >= mostLength;
  }

  /**
   * @param length - of the row's line
   * @returns `false` if a row with the same key is already buffered
   * @throws TransferError `transfer.row-exists` with `refuse`, if the two rows differ
   */
  add(row: StoredEntity, length: number): boolean {
    this.#rows++;
    this.#length += length;
    let rows = this.#partitions.get(row.PartitionKey);
    if (rows === undefined) this.#partitions.set(row.PartitionKey, (rows = new Map()));
    const earlier = rows.get(row.RowKey);
    rows.set(row.RowKey, earlier === undefined ? row : this.#chosen(earlier, row));
    return earlier === undefined;
  }

  #chosen(earlier: StoredEntity, later: StoredEntity): StoredEntity {
    switch (this.#existing) {
      case "replace":
        return later;
      case "merge":
        return mergedRow(earlier, later);
      case "skip":
        return earlier;
      case "refuse":
        if (!hasSameProperties(earlier, later)) throw TransferError.rowRepeated(keyOfStored(later));
        return earlier;
      default:
        return this.#existing satisfies never;
    }
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
