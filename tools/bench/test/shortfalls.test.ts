import { expect, test } from "vitest";
import type { Asked, ReportedLine } from "../src/report.ts";
import { shortfallsOf } from "../src/run/shortfalls.ts";

const row = (asked: Asked, median: number, low: number = median): ReportedLine => ({
  row: {
    benchmark: "decode",
    name: "page",
    title: "A page",
    unit: "bytes",
    contenders: [
      { name: "by hand", role: "floor", median: 1, low: 1, ratio: { median: 1, low: 1 } },
      { name: "ours", role: "ours", median, low, ratio: { median, low }, peerRatio: { median, low }, asked },
    ],
  },
});
const growth = (last: number): ReportedLine => ({
  growth: {
    benchmark: "growth",
    work: "add",
    points: [
      { entities: 1_000, nsEach: 10 },
      { entities: 1_000_000, nsEach: last },
    ],
    atMost: 2,
  },
});

test("a figure may be worse than asked by 15 %", () => {
  const lines = [
    row({ atMost: 2 }, 2.29),
    row({ peer: "p", atLeast: 6 }, 5.3),
    row({ most: 100 }, 114),
    growth(22),
  ];

  expect(shortfallsOf(lines)).toEqual({ asked: 4, shortfalls: [] });
});

test("what is worse is listed with its place, the figure and what is asked", () => {
  const lines = [
    row({ atMost: 2 }, 2.31),
    row({ peer: "p", atLeast: 6 }, 5.1),
    row({ most: 100 }, 116),
    growth(24),
  ];

  expect(shortfallsOf(lines).shortfalls).toEqual([
    "decode, page: ours costs 2.31 times the floor; asked are 2 at most",
    "decode, page: ours leaves p at 5.10 times its cost; asked are 6.00 at least",
    "decode, page: ours takes 116; asked are 100 at most",
    "growth, add: of 1,000,000 entities each costs 2.40 times what it does of 1,000; asked are 2 at most",
  ]);
});

test("the better of a ratio's two figures counts", () => {
  expect(shortfallsOf([row({ atMost: 2 }, 3, 2), row({ atMost: 2 }, 2, 3)]).shortfalls).toEqual([]);
  expect(shortfallsOf([row({ peer: "p", atLeast: 6 }, 2, 6)]).shortfalls).toEqual([]);
});

test("a row without a ratio cannot pass", () => {
  const line: ReportedLine = {
    row: {
      benchmark: "decode",
      name: "page",
      title: "A page",
      unit: "ns",
      contenders: [{ name: "ours", role: "ours", median: 1, low: 1, asked: { atMost: 2 } }],
    },
  };

  expect(shortfallsOf([line]).shortfalls).toHaveLength(1);
});
