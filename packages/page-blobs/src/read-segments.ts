import { cancelled } from "@partita/core/internal";
import type { PageRange, PageRangesOptions } from "./page-blob.ts";
import type { Segment, SegmentRanges } from "./segment-ranges.ts";

/** The response to one request. */
export interface SegmentResponse {
  readonly ranges: SegmentRanges;
  /** The blob's size at that time. */
  readonly size: number;
  readonly etag: string | undefined;
}

/** Requests one segment. Undefined if the blob ends before it. `etag` is the required version of the blob. */
export type AskSegment = (segment: Segment, etag: string | undefined) => Promise<SegmentResponse | undefined>;

/** 150 MiB have at most 153,600 ranges, which the service returns in time. */
const safeSegmentBytes: number = 150 * 1024 ** 2;

/**
 * The ranges of a blob, one request after another. The size in the last response determines the number of
 * segments, so a growing blob is read to its new end, and a shrinking one ends earlier.
 */
export const readSegments = (ask: AskSegment, options: PageRangesOptions): AsyncIterable<PageRange> => ({
  [Symbol.asyncIterator]: () => new SegmentReading(ask, options),
});

const ended: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** One loop over a blob's ranges. A generator would take three times as long per range. */
class SegmentReading implements AsyncIterator<PageRange, undefined> {
  readonly #ask: AskSegment;
  readonly #options: PageRangesOptions;
  readonly #segmentBytes: number;
  /** The start of the next request. */
  #start: number;
  #size = Number.POSITIVE_INFINITY;
  #etag: string | undefined;
  #calls = 0;
  #ranges: SegmentRanges | undefined;
  /** The index of the next range. */
  #index = 0;
  /** The pending requests, until there are ranges. */
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
    // A call during a pending request waits for the calls before it.
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

  /** Sends requests until there are ranges, or the blob ends. */
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

/** The same ranges with adjacent ones joined. The ranges before an error are yielded first. */
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
