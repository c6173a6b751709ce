import { expect, test } from "vitest";
import { summaryOf } from "../src/versions/summary.ts";

test("a checkout's ratio is the median of its pairs, each by the ratios of its own rounds", () => {
  const slower = [
    [100, 100, 900],
    [110, 110, 90],
  ] as const;
  const same = [[200], [200]] as const;
  const faster = [
    [200, 300, 400],
    [180, 270, 4000],
  ] as const;

  const { ratio, error, low, high } = summaryOf([slower, faster, same]);

  expect([ratio, low, high]).toEqual([1, 0.9, 1.1]);
  expect(error).toBeCloseTo(0.1 / Math.sqrt(3));
});
