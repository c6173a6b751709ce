import { cancelled } from "../../../errors/storage-error.ts";
import type { PageRange, PageRangesOptions } from "../../../storage/blobs/page-blob.ts";
import type { Segment, SegmentRanges } from "./segment-ranges.ts";

/** What one call was answered. */
export interface SegmentAnswer {
  readonly ranges: SegmentRanges;
  /** The blob's size at that time. */
  readonly size: number;
  readonly etag: string | undefined;
}

/** Asks about one segment; undefined where the blob ends before it. `etag` is the one that the blob must have. */
export type AskSegment = (segment: Segment, etag: string | undefined) => Promise<SegmentAnswer | undefined>;

/** 150 MiB have 153,600 ranges at most, which the service answers in time. */
const safeSegmentBytes: number = 150 * 1024 ** 2;

/**
 * The ranges of a blob, one call after the other: as many as its size has segments, by the size that the last answer has.
 * A blob that grows is read to its new end, and one that shrinks ends there.
 */
export async function* readSegments(ask: AskSegment, options: PageRangesOptions): AsyncGenerator<PageRange> {
  const { segmentBytes = safeSegmentBytes, from = 0, unchanged = false, signal, onProgress } = options;
  let etag: string | undefined;
  let calls = 0;
  let size = Number.POSITIVE_INFINITY;
  for (let start = from; start < size; start += segmentBytes) {
    const answer = await ask({ start, end: start + segmentBytes - 1 }, unchanged ? etag : undefined);
    if (answer === undefined) return;
    etag ??= answer.etag;
    size = answer.size;
    onProgress?.({ done: Math.min(start + segmentBytes, size), size, calls: ++calls });
    const { ranges } = answer;
    for (let i = 0; i < ranges.count; i++) {
      if (signal?.aborted === true) throw cancelled(signal);
      yield ranges.at(i);
    }
  }
}

/** The same ranges, those that touch as one. What was read before an error is given out before it. */
export async function* joinRanges(ranges: AsyncIterable<PageRange>): AsyncGenerator<PageRange> {
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
