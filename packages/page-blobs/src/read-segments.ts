import { cancelled } from "@partita/core/internal";
import type { PageRange, PageRangesOptions } from "./page-blob.ts";
import type { Segment, SegmentRanges } from "./segment-ranges.ts";

/** What one call was answered. */
export interface SegmentResponse {
  readonly ranges: SegmentRanges;
  /** The blob's size at that time. */
  readonly size: number;
  readonly etag: string | undefined;
}

/** Asks about one segment; undefined where the blob ends before it. `etag` is the one that the blob must have. */
export type AskSegment = (segment: Segment, etag: string | undefined) => Promise<SegmentResponse | undefined>;

/** 150 MiB have 153,600 ranges at most, which the service answers in time. */
const safeSegmentBytes: number = 150 * 1024 ** 2;

/**
 * The ranges of a blob, one call after the other: as many as its size has segments, by the size that the last answer has.
 * A blob that grows is read to its new end, and one that shrinks ends there.
 */
export const readSegments = (ask: AskSegment, options: PageRangesOptions): AsyncIterable<PageRange> => ({
  [Symbol.asyncIterator]: () => new SegmentReading(ask, options),
});

const ended: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** One loop over a blob's ranges. A generator would take three times as long for each of them. */
class SegmentReading implements AsyncIterator<PageRange, undefined> {
  readonly #ask: AskSegment;
  readonly #options: PageRangesOptions;
  readonly #segmentBytes: number;
  /** Where the next call begins. */
  #start: number;
  #size = Number.POSITIVE_INFINITY;
  #etag: string | undefined;
  #calls = 0;
  #ranges: SegmentRanges | undefined;
  /** The next of the ranges. */
  #index = 0;
  /** The calls under way, until there are ranges. */
  #reading: Promise<void> | undefined;

  constructor(ask: AskSegment, options: PageRangesOptions) {
    this.#ask = ask;
    this.#options = options;
    this.#segmentBytes = options.segmentBytes ?? safeSegmentBytes;
    this.#start = options.from ?? 0;
  }

  next(): Promise<IteratorResult<PageRange, undefined>> {
    const ranges = this.#ranges;
    if (ranges !== undefined && this.#index < ranges.count) {
      const { signal } = this.#options;
      if (signal?.aborted === true) return this.#fail(cancelled(signal));
      return Promise.resolve({ done: false, value: ranges.at(this.#index++) });
    }
    // Who asks meanwhile comes after those who asked before.
    const again = (): Promise<IteratorResult<PageRange, undefined>> => this.next();
    if (this.#reading !== undefined) return this.#reading.then(again, again);
    if (this.#start >= this.#size) return Promise.resolve(ended);
    this.#reading = this.#read().finally(() => (this.#reading = undefined));
    return this.#reading.then(again);
  }

  return(): Promise<IteratorResult<PageRange, undefined>> {
    this.#end();
    return Promise.resolve(ended);
  }

  /** Asks until there are ranges, or no more of the blob. */
  async #read(): Promise<void> {
    const { unchanged = false, onProgress } = this.#options;
    try {
      do {
        const [start, end] = [this.#start, this.#start + this.#segmentBytes - 1];
        const response = await this.#ask({ start, end }, unchanged ? this.#etag : undefined);
        if (response === undefined || start !== this.#start) return this.#end();
        const { ranges, size, etag } = response;
        this.#etag ??= etag;
        [this.#ranges, this.#index, this.#size, this.#start] = [ranges, 0, size, end + 1];
        onProgress?.({ done: Math.min(end + 1, size), size, calls: ++this.#calls });
      } while (this.#ranges.count === 0 && this.#start < this.#size);
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  #end(): void {
    this.#ranges = undefined;
    this.#start = Number.POSITIVE_INFINITY;
  }

  #fail(error: Error): Promise<never> {
    this.#end();
    return Promise.reject(error);
  }
}

/** The same ranges, those that touch as one. What was read before an error is given out before it. */
export const joinRanges = (ranges: AsyncIterable<PageRange>): AsyncIterable<PageRange> => ({
  [Symbol.asyncIterator]: () => joined(ranges),
});

async function* joined(ranges: AsyncIterable<PageRange>): AsyncGenerator<PageRange> {
  let last: PageRange | undefined;
  try {
    for await (const range of ranges) {
      if (last !== undefined && last.end + 1 === range.start) last = { start: last.start, end: range.end };
      else {
        const whole = last;
        last = range;
        if (whole !== undefined) yield whole;
      }
    }
  } catch (error) {
    if (last !== undefined) yield last;
    throw error;
  }
  if (last !== undefined) yield last;
}
