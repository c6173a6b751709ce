import { expect, test } from "vitest";
import { summaryOf } from "../src/versions/summary.ts";

test("a checkout's ratio is the mean of its pairs, each by the ratios of its own rounds", () => {
  const pairs = [
    [
      [100, 100, 900],
      [110, 110, 90],
    ],
    [
      [200, 300, 400],
      [180, 270, 4000],
    ],
  ] as const;

  const { ratio, error, low, high } = summaryOf(pairs);

  expect(ratio).toBeCloseTo(1);
  expect(error).toBeCloseTo(0.1);
  expect([low, high]).toEqual([0.9, 1.1]);
});
