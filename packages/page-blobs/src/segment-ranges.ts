import { pageBytes, type PageRange } from "./page-blob.ts";
import { malformedXml } from "@partita/core/internal/azure";

/** The part of a blob that one request covers. Both ends are inclusive. */
export type Segment = PageRange;

/** The ranges of one segment: two numbers each, because there may be hundreds of thousands. */
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

  /** The last byte of the last range. -1 if there is none. */
  get lastEnd(): number {
    return this.#lastEnd;
  }

  at(index: number): PageRange {
    return { start: this.#ends[2 * index] as number, end: this.#ends[2 * index + 1] as number };
  }

  /** Adds the next range, cut to the segment. @throws StorageError `storage.malformed-response` */
  push(start: number, end: number): void {
    const { start: first, end: last } = this.#segment;
    // Bitwise operators use the last 32 bits of any whole number.
    const isAligned = (start & (pageBytes - 1)) === 0 && ((end + 1) & (pageBytes - 1)) === 0;
    if (!isAligned || end < start) throw malformedXml("a range of it is not aligned to pages");
    if (end < first || start > last) throw malformedXml("a range of it is outside the requested segment");
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
