import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("settles one conflict three ways, and books five seats at once", () => {
  const main = join(import.meta.dirname, "../dist/main.js");

  const { stdout, stderr, status } = spawnSync(process.execPath, [main], { encoding: "utf8" });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout.match(/refused: {2}UpdateConditionNotSatisfied/g)).toHaveLength(3);
  expect(stdout.match(/after: {4}.*/g)).toEqual([
    'after:    "Tables in depth" by Grace, 250 seats',
    'after:    "Tables, at scale" by Ada, 250 seats',
    'after:    "Tables, at scale" by Grace, 250 seats',
  ]);
  expect(stdout).toMatch(/conflict: title was Tables; mine Tables in depth, theirs Tables, at scale/);
  expect(stdout).toMatch(/Five seats booked at once: .* 245 seats/);
});
