/** A range of bytes, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The written bytes of a large file, as a sorted list of positions where it changes between written and not written.
 */
export class PageMap {
  /** A range starts at every even index and ends before the next border. */
  readonly #borders: number[];

  constructor(borders: readonly number[] = []) {
    this.#borders = [...borders];
  }

  copy(): PageMap {
    return new PageMap(this.#borders);
  }

  write({ start, end }: ByteRange): void {
    this.#set(start, end + 1, 0);
  }

  clear({ start, end }: ByteRange): void {
    this.#set(start, end + 1, 1);
  }

  /** The number of written ranges that overlap this range. */
  count(range: ByteRange): number {
    const [first, last] = this.#places(range);
    return Math.ceil((last - first) / 2);
  }

  /** The parts of written ranges within this range, at most `limit`. */
  ranges(range: ByteRange, limit: number = Number.POSITIVE_INFINITY): ByteRange[] {
    const [first, last] = this.#places(range);
    const found: ByteRange[] = [];
    for (let i = first; i < last && found.length < limit; i += 2) {
      const [from, to] = [this.#borders[i] as number, this.#borders[i + 1] as number];
      found.push({ start: Math.max(from, range.start), end: Math.min(to - 1, range.end) });
    }
    return found;
  }

  /** The index of the first border of these ranges, and the index after the start of the last one. */
  #places({ start, end }: ByteRange): readonly [first: number, last: number] {
    const inside = this.#before(start + 1);
    return [inside - (inside % 2), this.#before(end + 1)];
  }

  /** Sets a range to written or not. A border remains where the byte outside differs. */
  #set(start: number, end: number, parity: 0 | 1): void {
    const [from, to] = [this.#before(start), this.#before(end + 1)];
    const borders: number[] = [];
    if (from % 2 === parity) borders.push(start);
    if (to % 2 === parity) borders.push(end);
    this.#borders.splice(from, to - from, ...borders);
  }

  /** The number of borders before a position, by binary search. */
  #before(position: number): number {
    let [low, high] = [0, this.#borders.length];
    // Sequential writes append at the end.
    if (high === 0 || (this.#borders[high - 1] as number) < position) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#borders[middle] as number) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
