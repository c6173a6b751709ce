import { expect, test } from "vitest";
import { median, quantile, ratioOf } from "../src/statistics.ts";

test("the ratio is the median of the rounds, and that of the lower quartiles", () => {
  expect(median([5, 1, 9])).toBe(5);
  expect(quantile([4, 3, 2, 1, 5], 0.25)).toBe(2);
  // One round was spoilt for both, one for us alone.
  expect(ratioOf([2, 20, 2, 8, 2], [1, 10, 1, 1, 1])).toEqual({ median: 2, low: 2 });
});
