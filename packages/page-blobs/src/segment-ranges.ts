import { pageBytes, type PageRange } from "./page-blob.ts";
import { malformedXml } from "@partita/core/internal/azure";

/** The part of a blob that one call asks about; both ends are included. */
export type Segment = PageRange;

/** The ranges of one segment: two numbers each, since there may be hundreds of thousands. */
export class SegmentRanges {
  readonly #segment: Segment;
  #ends = new Float64Array(64);
  #length = 0;
  #lastEnd = -1;

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  get count(): number {
    return this.#length / 2;
  }

  /** The last byte of the last range; -1 where there is none. */
  get lastEnd(): number {
    return this.#lastEnd;
  }

  at(index: number): PageRange {
    return { start: this.#ends[2 * index] as number, end: this.#ends[2 * index + 1] as number };
  }

  /** Takes the next range, cut to the segment. @throws StorageError `storage.malformed-response` */
  push(start: number, end: number): void {
    const { start: first, end: last } = this.#segment;
    // The operators of bits take the last 32 of any whole number.
    const isAligned = (start & (pageBytes - 1)) === 0 && ((end + 1) & (pageBytes - 1)) === 0;
    if (!isAligned || end < start) throw malformedXml("a range of it is no range of pages");
    if (end < first || start > last) throw malformedXml("a range of it is outside of what was asked about");
    if (start <= this.#lastEnd) throw malformedXml("its ranges are not in rising order");
    if (this.#length === this.#ends.length) this.#grow();
    this.#ends[this.#length++] = start < first ? first : start;
    this.#lastEnd = this.#ends[this.#length++] = end > last ? last : end;
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#ends.length);
    larger.set(this.#ends);
    this.#ends = larger;
  }
}
