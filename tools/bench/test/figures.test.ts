import { expect, test } from "vitest";
import type { Target, ReportedLine } from "../src/report.ts";
import { describeFigure, figuresOf } from "../src/run/figures.ts";

const row = (target: Target, median: number, low: number = median): ReportedLine => ({
  row: {
    benchmark: "decode",
    name: "page",
    title: "A page",
    unit: "bytes",
    contenders: [
      { name: "by hand", role: "baseline", median: 1, low: 1, ratio: { median: 1, low: 1 } },
      {
        name: "ours",
        role: "ours",
        median,
        low,
        ratio: { median, low },
        targetRatio: { median, low },
        target,
      },
    ],
  },
});
const growth = (last: number, atMost?: number): ReportedLine => ({
  growth: {
    benchmark: "growth",
    work: "add",
    points: [
      { entities: 1_000, nsEach: 10 },
      { entities: 1_000_000, nsEach: last },
    ],
    ...(atMost !== undefined && { atMost }),
  },
});
const fallShort = (...lines: ReportedLine[]): boolean[] =>
  figuresOf(lines).map(({ fallsShort }) => fallsShort);

test("a figure holds up to what is target, and falls short when it is worse by more than 15 %", () => {
  const within = [
    row({ atMost: 2 }, 2.29),
    row({ peer: "p", atLeast: 6 }, 5.3),
    row({ most: 100 }, 114),
    growth(22, 2),
  ];
  const beyond = [
    row({ atMost: 2 }, 2.31),
    row({ peer: "p", atLeast: 6 }, 5.1),
    row({ most: 100 }, 116),
    growth(24, 2),
  ];

  expect(figuresOf(within).map(({ holds }) => holds)).toEqual([false, false, false, false]);
  expect(fallShort(...within)).toEqual([false, false, false, false]);
  expect(fallShort(...beyond)).toEqual([true, true, true, true]);
  expect(figuresOf([row({ atMost: 2 }, 2), row({ peer: "p", atLeast: 6 }, 6)])).toMatchObject([
    { holds: true },
    { holds: true },
  ]);
});

test("a line says the figure, what is target, the goal, and what it is a multiple of", () => {
  const [ratio, peer, bytes, grown] = figuresOf([
    row({ atMost: 2, goal: 1.5 }, 2.31),
    row({ peer: "p", atLeast: 6 }, 6.5),
    row({ most: 1500 }, 1400),
    growth(24, 2),
  ]).map((figure) => describeFigure(figure).replaceAll(/ +/g, " ").trim());

  expect(ratio).toBe("2.31 target at most 2.00 goal 1.50 SHORT page (× by hand)");
  expect(peer).toBe("6.50 target at least 6.00 holds page (p, × ours)");
  expect(bytes).toBe("1400 B target at most 1500 B holds page");
  expect(grown).toBe("2.40 target at most 2.00 SHORT growth: add (the most entities, × the fewest)");
});

test("the better of a ratio's two figures counts", () => {
  expect(fallShort(row({ atMost: 2 }, 3, 2), row({ atMost: 2 }, 2, 3))).toEqual([false, false]);
  expect(fallShort(row({ peer: "p", atLeast: 6 }, 2, 6))).toEqual([false]);
});

test("growth without a target is no figure", () => {
  expect(figuresOf([growth(24)])).toEqual([]);
});

test("a row without a ratio cannot pass", () => {
  const line: ReportedLine = {
    row: {
      benchmark: "decode",
      name: "page",
      title: "A page",
      unit: "ns",
      contenders: [{ name: "ours", role: "ours", median: 1, low: 1, target: { atMost: 2 } }],
    },
  };

  expect(fallShort(line)).toEqual([true]);
});
