import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { joinRanges, readSegments } from "../src/read-segments.ts";
import { StorageError } from "@partita/core";
import type { PageRange } from "../src/index.ts";
import { collect, cutAt, pagesOf, randomMap, rangesOf, serviceOf } from "./random-map.ts";

const seed = 20_261_122;

test.prop([randomMap], { seed, numRuns: 1000 })(
  "reads the pages that are written, cut at the borders of segments or joined, with one call for each segment",
  async ({ pages, segmentPages, join }) => {
    const segmentBytes = segmentPages * 512;
    const { ask, asked } = serviceOf(pages);
    const read = readSegments(ask, { segmentBytes });

    const found = await collect(join ? joinRanges(read) : read);

    expect(pagesOf(found, pages.length)).toStrictEqual(pages);
    expect(found).toStrictEqual(join ? rangesOf(pages) : cutAt(rangesOf(pages), segmentBytes));
    expect(asked).toHaveLength(Math.max(1, Math.ceil(pages.length / segmentPages)));
  },
);

test.prop([randomMap, fc.nat(10)], { seed, numRuns: 1000 })(
  "gives out what was read before a call that fails, throws once, and calls no more",
  async ({ pages, segmentPages, join }, failing) => {
    const segmentBytes = segmentPages * 512;
    const { ask, asked } = serviceOf(pages);
    const refusal = new StorageError("storage.server-busy", "The server is busy.", { applied: "no" });
    const read = readSegments(
      (segment, etag) => {
        const response = ask(segment, etag);
        return asked.length > failing ? Promise.reject(refusal) : response;
      },
      { segmentBytes },
    );
    const ranges = join ? joinRanges(read) : read;
    const iterator = ranges[Symbol.asyncIterator]();
    const found: PageRange[] = [];
    const errors: unknown[] = [];

    for (;;)
      try {
        const { done = false, value } = await iterator.next();
        if (done) break;
        found.push(value as PageRange);
      } catch (error) {
        errors.push(error);
      }

    const calls = Math.max(1, Math.ceil(pages.length / segmentPages));
    const before = pages.slice(0, failing * segmentPages);
    expect(errors).toStrictEqual(failing < calls ? [refusal] : []);
    expect(found).toStrictEqual(join ? rangesOf(before) : cutAt(rangesOf(before), segmentBytes));
    expect(asked).toHaveLength(Math.min(calls, failing + 1));
  },
);

test.prop([randomMap, fc.nat(20)], { seed })(
  "calls only as far as the loop goes, and goes on behind the last range",
  async ({ pages, segmentPages }, wanted) => {
    const segmentBytes = segmentPages * 512;
    const { ask, asked } = serviceOf(pages);
    const first: PageRange[] = [];
    for await (const range of readSegments(ask, { segmentBytes })) {
      first.push(range);
      if (first.length > wanted) break;
    }
    const last = first.at(-1);
    const calls = Math.ceil(((last?.end ?? 0) + 1) / segmentBytes);
    const isCut = first.length > wanted;
    if (isCut) expect(asked).toHaveLength(calls);

    const rest = isCut ? await collect(readSegments(ask, { segmentBytes, from: (last?.end ?? 0) + 1 })) : [];

    expect(pagesOf([...first, ...rest], pages.length)).toStrictEqual(pages);
  },
);
