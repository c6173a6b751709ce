import { fc } from "@fast-check/vitest";
import { PageListReader } from "../src/page-list-reader.ts";
import type { AskSegment } from "../src/read-segments.ts";
import { SegmentRanges } from "../src/segment-ranges.ts";
import type { PageRange } from "../src/index.ts";

/** A blob of some pages, each written or not. */
export interface RandomMap {
  readonly pages: readonly boolean[];
  /** Pages of one segment. */
  readonly segmentPages: number;
  readonly join: boolean;
}

export const randomMap: fc.Arbitrary<RandomMap> = fc.record({
  pages: fc.array(fc.boolean(), { maxLength: 120 }),
  segmentPages: fc.integer({ min: 1, max: 150 }),
  join: fc.boolean(),
});

/** The ranges of the pages that are written, those that touch as one. */
export function rangesOf(pages: readonly boolean[]): PageRange[] {
  const ranges: PageRange[] = [];
  for (const [page, isWritten] of pages.entries()) {
    if (!isWritten) continue;
    const range = { start: page * 512, end: page * 512 + 511 };
    const last = ranges.at(-1);
    if (last === undefined || last.end + 1 < range.start) ranges.push(range);
    else ranges[ranges.length - 1] = { start: last.start, end: range.end };
  }
  return ranges;
}

/** Ranges cut where one segment ends and the next begins. */
export function cutAt(ranges: readonly PageRange[], segmentBytes: number): PageRange[] {
  return ranges.flatMap(({ start, end }) => {
    const parts: PageRange[] = [];
    for (let from = start; from <= end;) {
      const border = (Math.floor(from / segmentBytes) + 1) * segmentBytes;
      parts.push({ start: from, end: Math.min(end, border - 1) });
      from = border;
    }
    return parts;
  });
}

/** Pages whose numbers are in ranges. */
export function pagesOf(ranges: readonly PageRange[], count: number): boolean[] {
  const pages = Array.from({ length: count }, () => false);
  for (const { start, end } of ranges) pages.fill(true, start / 512, (end + 1) / 512);
  return pages;
}

/** A service of one blob, which lists what it was asked about. */
export function serviceOf(pages: readonly boolean[]): {
  readonly ask: AskSegment;
  readonly asked: PageRange[];
} {
  const asked: PageRange[] = [];
  const all = rangesOf(pages);
  const ask: AskSegment = (segment) => {
    asked.push(segment);
    const size = pages.length * 512;
    if (segment.start >= size) return Promise.resolve(undefined);
    const ranges = new SegmentRanges(segment);
    const reader = new PageListReader(ranges);
    const inside = all.filter(({ start, end }) => start <= segment.end && end >= segment.start);
    reader.take(Buffer.from(pageList(inside)));
    reader.end();
    return Promise.resolve({ ranges, size, etag: '"1"' });
  };
  return { ask, asked };
}

export const pageList = (ranges: readonly PageRange[]): string =>
  `<?xml version="1.0" encoding="utf-8"?><PageList>${ranges
    .map(({ start, end }) => `<PageRange><Start>${start}</Start><End>${end}</End></PageRange>`)
    .join("")}</PageList>`;

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
