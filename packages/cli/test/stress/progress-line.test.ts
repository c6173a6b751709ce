import type { StressStep } from "@partita/testing";
import { expect, test } from "vitest";
import { progressLine } from "../../src/stress/progress-line.ts";

const step: StressStep = {
  rate: 1200,
  seconds: 5,
  offered: 1198,
  served: 505,
  p50Ms: 3,
  p99Ms: 21.4,
  due: 100,
  notSent: 0,
  busy: 9,
  failed: 0,
  otherErrors: 0,
  otherCodes: [],
  elsewhere: 0,
  lateMs: 1,
  isSustained: false,
};

function written(isTTY: boolean): string[] {
  const texts: string[] = [];
  const line = progressLine("football", { isTTY, write: (text) => texts.push(text) });
  line.show({ done: 0, total: 12, next: 1200 });
  line.show({ done: 1, total: 12, step, next: 1500 });
  line.end();
  return texts;
}

test("on a terminal one line is redrawn, and is gone in the end", () => {
  expect(written(true)).toEqual([
    "\r\x1b[Kfootball: step 1 of 12, 1,200 entities/s",
    "\r\x1b[Kfootball: step 2 of 12, 1,500 entities/s (before: served 505 of 1,198, p99 21 ms, not sustained)",
    "\r\x1b[K",
  ]);
});

test("elsewhere each step has a line", () => {
  expect(written(false)).toEqual([
    "football: step 1 of 12, 1,200 entities/s: served 505 of 1,198, p99 21 ms, not sustained\n",
  ]);
});
