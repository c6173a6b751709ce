import { expect, test } from "vitest";
import { SurveyBuilder } from "../../src/survey/survey-builder.ts";

test("a survey of many partitions and years loses no row, in bounded space", () => {
  const builder = new SurveyBuilder();
  const start = Date.UTC(2010, 0, 1);
  for (let i = 0; i < 30_000; i++)
    builder.add({
      PartitionKey: String(Math.floor(i / 7) % 2000).padStart(5, "0"),
      Timestamp: new Date(start + i * 17_000_000).toISOString(),
    });

  const { rows, ranges, largest, moments } = builder.finish();

  expect(rows).toBe(30_000);
  expect(ranges.length).toBeLessThanOrEqual(160);
  expect(ranges.reduce((sum, range) => sum + range.rows, 0)).toBe(30_000);
  expect(moments.length).toBeLessThanOrEqual(48);
  expect(largest).toHaveLength(16);
  for (const { rows: own, written } of largest) expect(written.reduce((a, b) => a + b, 0)).toBe(own);
});
