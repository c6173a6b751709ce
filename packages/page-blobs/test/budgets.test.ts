import { type Budget, describeBudgets, type OpenPlace } from "@partita/test-support/budgets";
import { type AskSegment, joinRanges, readSegments } from "../src/read-segments.ts";
import { collect, serviceOf } from "./random-map.ts";

/** A blob whose pages are written, every second one, and whose requests are counted. */
interface Place {
  readonly ask: AskSegment;
}

const open: OpenPlace<Place> = async (counter, pages) => {
  const { ask } = serviceOf(Array.from({ length: pages }, (_, page) => page % 2 === 0));
  return {
    ask: (...call) => {
      counter.add("page list");
      return ask(...call);
    },
  };
};

const segmentBytes = 100 * 512;
const segments = (pages: number): string => `${Math.ceil(pages / 100)} page list`;

const budgets: readonly Budget<Place>[] = [
  ["read all ranges", segments, ({ ask }) => collect(readSegments(ask, { segmentBytes }))],
  ["read all ranges joined", segments, ({ ask }) => collect(joinRanges(readSegments(ask, { segmentBytes })))],
  [
    "read the ranges of an unchanged blob",
    segments,
    ({ ask }) => collect(readSegments(ask, { segmentBytes, unchanged: true })),
  ],
  [
    "read the first range",
    "1 page list",
    async ({ ask }) => {
      for await (const _ of readSegments(ask, { segmentBytes })) break;
    },
  ],
  ["read a blob in one segment", "1 page list", ({ ask }) => collect(readSegments(ask, {}))],
];

describeBudgets([1, 1000], "pages", open, budgets);
