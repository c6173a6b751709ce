/** A range of bytes; both ends are included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Which bytes of a large file are written: where it changes from one to the other, in rising order. */
export class PageMap {
  /** A range begins at every even place and ends before the one that follows. */
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

  /** How many ranges have bytes of this one. */
  count(range: ByteRange): number {
    const [first, last] = this.#places(range);
    return Math.ceil((last - first) / 2);
  }

  /** The ranges within this one, `limit` of them at most. */
  ranges(range: ByteRange, limit: number = Number.POSITIVE_INFINITY): ByteRange[] {
    const [first, last] = this.#places(range);
    const found: ByteRange[] = [];
    for (let i = first; i < last && found.length < limit; i += 2) {
      const [from, to] = [this.#borders[i] as number, this.#borders[i + 1] as number];
      found.push({ start: Math.max(from, range.start), end: Math.min(to - 1, range.end) });
    }
    return found;
  }

  /** The first border of these ranges, and one behind the last beginning. */
  #places({ start, end }: ByteRange): readonly [first: number, last: number] {
    const inside = this.#before(start + 1);
    return [inside - (inside % 2), this.#before(end + 1)];
  }

  /** Makes all of it one or the other: a border stays where its neighbour outside is not the same. */
  #set(start: number, end: number, parity: 0 | 1): void {
    const [from, to] = [this.#before(start), this.#before(end + 1)];
    const borders: number[] = [];
    if (from % 2 === parity) borders.push(start);
    if (to % 2 === parity) borders.push(end);
    this.#borders.splice(from, to - from, ...borders);
  }

  /** How many borders are below a position. Binary search. */
  #before(position: number): number {
    let [low, high] = [0, this.#borders.length];
    // What is written in order is written at the end.
    if (high === 0 || (this.#borders[high - 1] as number) < position) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#borders[middle] as number) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
