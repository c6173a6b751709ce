import { describe, expect, test } from "vitest";
import { progressText } from "../../src/page/plots/job-line.tsx";
import { countTicks, itemTicks, timeAxis } from "../../src/page/plots/ticks.ts";

const labelsOf = (ticks: readonly { readonly label: string }[]): string[] => ticks.map(({ label }) => label);

describe("an axis of counts", () => {
  test.each([
    [1, ["0", "1"]],
    [7, ["0", "2", "4", "6"]],
    [100, ["0", "25", "50", "75", "100"]],
    [173, ["0", "50", "100", "150"]],
    [135_483, ["0", "50,000", "100,000"]],
    [8_211, ["0", "2,500", "5,000", "7,500"]],
  ])("up to %i has round figures", (most, labels) => {
    const ticks = countTicks(most);

    expect(labelsOf(ticks)).toEqual(labels);
    expect(ticks.every(({ at }) => at >= 0 && at <= 1)).toBe(true);
  });
});

test("an axis of keys names the first, the last and some between", () => {
  const keys = Array.from({ length: 101 }, (_, i) => `p${i}`);

  expect(labelsOf(itemTicks(keys, 5))).toEqual(["p0", "p25", "p50", "p75", "p100"]);
  expect(itemTicks(["only"], 5)).toEqual([{ at: 0.5, label: "only" }]);
});

describe("an axis of times", () => {
  const columns = (start: string, widthMs: number, count: number): string[] =>
    Array.from({ length: count }, (_, i) => new Date(Date.parse(start) + i * widthMs).toISOString());

  test("of some seconds shows seconds, so its ends differ", () => {
    const axis = timeAxis(columns("2026-11-25T01:25:00Z", 1000, 12), 3);

    expect(labelsOf(axis.ticks)).toEqual(["01:25:00", "01:25:06", "01:25:12"]);
    expect(axis).toMatchObject({ column: "one second", days: "2026-11-25" });
  });

  test("of hours shows minutes; of two days, the day too; of weeks, days alone", () => {
    const hours = timeAxis(columns("2026-11-25T01:00:00Z", 1_024_000, 10), 3);
    const nights = timeAxis(columns("2026-11-25T22:00:00Z", 3_600_000, 4), 3);
    const weeks = timeAxis(columns("2026-11-01T00:00:00Z", 86_400_000, 20), 3);

    expect(labelsOf(hours.ticks)).toEqual(["01:00", "02:25", "03:50"]);
    expect(hours.column).toBe("17.1 minutes");
    expect(labelsOf(nights.ticks)).toEqual(["11-25 22:00", "11-26 00:00", "11-26 02:00"]);
    expect(nights.days).toBe("2026-11-25 to 2026-11-26");
    expect(labelsOf(weeks.ticks)).toEqual(["2026-11-01", "2026-11-11", "2026-11-21"]);
  });

  test("has equal steps", () => {
    const axis = timeAxis(columns("2026-11-25T15:38:18Z", 1000, 7), 6);

    expect(labelsOf(axis.ticks)).toEqual(["15:38:18", "15:38:20", "15:38:22", "15:38:25"]);
  });

  test("of one moment has its start and its end", () => {
    expect(labelsOf(timeAxis(["2026-11-25T01:25:00.000Z"], 6).ticks)).toEqual(["01:25:00", "01:25:01"]);
  });
});

test("the progress of an upgrade says what its figures count", () => {
  const progress = { phase: "upgrade", read: 20_400, total: undefined, upgraded: 20_000 };

  expect(progressText(progress)).toBe("Upgrading: 20,400 rows read, 20,000 of them upgraded");
  expect(progressText({ ...progress, pass: 2, total: 40_000, upgraded: 40_100 })).toBe(
    "Upgrading, pass 2: 20,400 of 40,000 rows read; 40,100 upgraded in all passes",
  );
  expect(progressText({ ...progress, phase: "verify", total: 40_000 })).toBe(
    "Verifying: 20,400 of 40,000 rows",
  );
});
