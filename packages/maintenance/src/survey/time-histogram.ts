/**
 * Counts times in columns of equal width. The width doubles whenever there are too many columns, so memory is
 * bounded.
 */
export class TimeHistogram {
  #widthMs = 1000;
  #counts = new Map<number, number>();

  add(time: number): void {
    this.#count(Math.floor(time / this.#widthMs), 1);
    if (this.#counts.size > maxColumns) this.#widen();
  }

  /**
   * The number of times in each column. The last column has no end.
   *
   * @param columns - their starts, from `columns()`
   */
  counts(columns: readonly number[]): number[] {
    const [first = 0, second] = columns;
    const width = second === undefined ? Number.POSITIVE_INFINITY : second - first;
    const counts = columns.map(() => 0);
    for (const [column, count] of this.#counts) {
      const at = Math.min(Math.floor((column * this.#widthMs - first) / width), counts.length - 1);
      counts[Math.max(at, 0)] = (counts[Math.max(at, 0)] ?? 0) + count;
    }
    return counts;
  }

  /** The starts of columns for several histograms, with at most this many columns for all of their times. */
  static columns(histograms: readonly TimeHistogram[], most: number): number[] {
    const starts = histograms.flatMap((each) => [...each.#counts.keys()].map((at) => at * each.#widthMs));
    if (starts.length === 0) return [];
    const [first, last] = [starts.reduce((a, b) => Math.min(a, b)), starts.reduce((a, b) => Math.max(a, b))];
    let width = Math.max(...histograms.map((each) => each.#widthMs));
    const column = (time: number): number => Math.floor(time / width);
    while (column(last) - column(first) >= most) width *= 2;
    return Array.from({ length: column(last) - column(first) + 1 }, (_, i) => (column(first) + i) * width);
  }

  #widen(): void {
    const old = this.#counts;
    this.#counts = new Map();
    this.#widthMs *= 2;
    for (const [column, count] of old) this.#count(Math.floor(column / 2), count);
  }

  #count(column: number, count: number): void {
    this.#counts.set(column, (this.#counts.get(column) ?? 0) + count);
  }
}

const maxColumns = 512;
