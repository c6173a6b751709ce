import { expect, test } from "vitest";
import { summaryOf } from "../src/versions/summary.ts";

test("a checkout's ratio is the mean of its pairs, each by its own lower quartiles", () => {
  const pairs = [
    [
      [100, 100, 100, 900],
      [110, 110, 500, 500],
    ],
    [
      [200, 200, 200, 300],
      [180, 180, 180, 180],
    ],
  ] as const;

  const { ratio, error, low, high } = summaryOf(pairs);

  expect(ratio).toBeCloseTo(1);
  expect(error).toBeCloseTo(0.1);
  expect([low, high]).toEqual([0.9, 1.1]);
});
