import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { createTables, openStorage, TableContext } from "@partita/core";
import { expect, test } from "vitest";
import { latest, removeMonth } from "../src/audit-log.ts";
import { AuditEntry } from "../src/model.ts";

test("shows what the latest entries cost, and removes the oldest month", () => {
  const main = join(import.meta.dirname, "../dist/main.js");

  const { stdout, stderr, status } = spawnSync(process.execPath, [main], { encoding: "utf8" });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout.trim().split("\n")).toEqual([
    "acme, latest 50 of a month: 50 found, 4 requests",
    "acme, latest 50 of a year: 50 found, 4 requests",
    "acme, latest 50 of ten years: 50 found, 4 requests",
    "acme, latest 50 of all: 50 found, 5 requests",
    "beta, latest 50 of a month: 0 found, 4 requests",
    "beta, latest 50 of a year: 50 found, 9 requests",
    "beta, latest 50 of ten years: 50 found, 9 requests",
    "beta, latest 50 of all: 50 found, 5 requests",
    "{ partitions: 4, requests: 5, isBySlice: true }",
    "Retention: 124 entries removed by 8 requests",
    "Partitions of acme: 96 before, 92 after",
  ]);
});

/** The first moment of a month, so many months before January 2027. */
const monthsBefore = (months: number): Date => new Date(Date.UTC(2027, -months));

for (const [span, months, isEmpty] of [
  ["a month", 1, () => false],
  ["a year", 12, () => false],
  ["ten years", 120, () => false],
  ["ten years with empty slices in between", 120, (month: number) => month < 119],
  ["ten years that begin with empty slices", 120, (month: number) => month < 60],
] as const)
  test(`the latest 50 of ${span} take 10 requests at most`, async () => {
    const storage = await openStorage("memory:");
    await createTables(storage, [AuditEntry]);
    const writer = new TableContext(storage);
    const moments: number[] = [];
    for (let month = 0; month < months; month++)
      for (let n = 0; n < 60 && !isEmpty(month); n++)
        moments.push(monthsBefore(month + 1).getTime() + n * 3_600_000);
    for (const [n, at] of moments.entries())
      writer.create(AuditEntry, { tenant: "acme", at: new Date(at), user: `user-${n % 9}`, action: "edit" });
    await writer.saveChanges();
    const expected = moments.toSorted((a, b) => b - a).slice(0, 50);

    const to = new Date(Date.UTC(2027, 0));
    const closed = await latest(storage, { tenant: "acme", from: monthsBefore(months), to });
    const open = await latest(storage, { tenant: "acme", from: monthsBefore(months) });

    for (const { value, requests } of [closed, open]) {
      expect(value.map(({ at }) => at.getTime())).toEqual(expected);
      expect(requests).toBeGreaterThanOrEqual(4);
      expect(requests).toBeLessThanOrEqual(10);
    }
    await storage.close();
  });

test("retention removes one slice of one tenant", async () => {
  const storage = await openStorage("memory:");
  await createTables(storage, [AuditEntry]);
  const writer = new TableContext(storage);
  for (const tenant of ["acme", "beta"])
    for (let month = 0; month < 3; month++)
      writer.create(AuditEntry, { tenant, at: new Date(Date.UTC(2026, month)), user: "ann", action: "edit" });
  await writer.saveChanges();

  const { value } = await removeMonth(storage, "acme", new Date(Date.UTC(2026, 0)));

  expect(value).toBe(1);
  const left = await Promise.all(["acme", "beta"].map((tenant) => latest(storage, { tenant })));
  expect(left.map((each) => each.value.length)).toEqual([2, 3]);
  await storage.close();
});
