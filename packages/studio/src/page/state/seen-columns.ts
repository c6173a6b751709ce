import type { Row } from "../../api/cells.ts";
import { cellLine } from "../text/cell-text.ts";

/** The first rows determine the widths of columns. */
const maxSampledRows = 100;

/**
 * The classes, names and types of all rows that a query has read. Rows are released from memory while the
 * user scrolls, but their columns stay.
 */
export class SeenColumns {
  readonly classNames: Set<string | undefined> = new Set();
  /** The EDM types of each name. */
  readonly types: Map<string, Set<string>> = new Map();
  hasTimestamps = false;
  readonly #lengths = new Map<string, number>();
  #sampled = 0;

  see(rows: readonly Row[]): void {
    for (const row of rows) {
      this.classNames.add(row.className);
      if (row.className === undefined) this.#seeStored(row);
      if (this.#sampled++ < maxSampledRows) this.#measure(row);
    }
  }

  /** The most characters of a column in the first rows. Keys have the names PartitionKey and RowKey. */
  lengthOf(name: string): number {
    return this.#lengths.get(name) ?? 0;
  }

  #seeStored({ cells, timestamp }: Row): void {
    if (timestamp !== undefined) this.hasTimestamps = true;
    for (const [name, type] of cells) {
      const types = this.types.get(name);
      if (types === undefined) this.types.set(name, new Set([type]));
      else types.add(type);
    }
  }

  #measure({ partitionKey, rowKey, cells }: Row): void {
    const grow = (name: string, text: string): void =>
      void this.#lengths.set(name, Math.max(this.lengthOf(name), text.length));
    grow("PartitionKey", partitionKey);
    grow("RowKey", rowKey);
    for (const [name, , value] of cells) grow(name, cellLine(value));
  }
}
