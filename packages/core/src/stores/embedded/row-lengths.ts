/** Rows up to this many bytes count as short. */
const shortBytes = 16 * 1024;

/**
 * Records which tables had short rows when they were last read. Short rows are read by one call, which takes two thirds
 * of the time. Longer rows are read one by one: no row is read that does not fit the page, and its bytes are still in
 * the processor's cache when its checksum is computed.
 */
export class RowLengths {
  readonly #short = new Set<number>();

  areShort(tableId: number): boolean {
    return this.#short.has(tableId);
  }

  /** @param longest - the bytes of the longest row that was read */
  note(tableId: number, longest: number): void {
    if (longest > shortBytes) this.#short.delete(tableId);
    else this.#short.add(tableId);
  }
}
