import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("reads orders of the first version, and upgrades the rest in the background", () => {
  const upgrade = join(import.meta.dirname, "../dist/upgrade.js");

  const { stdout, status } = spawnSync(process.execPath, [upgrade], { encoding: "utf8" });

  expect(status).toBe(0);
  expect(stdout.trim().split("\n")).toEqual([
    "Read as version 2: Call first",
    "Upgraded in the background: 1",
  ]);
});

test("stores orders with their lines, settles two writers, and takes the body of a PATCH request", () => {
  const main = join(import.meta.dirname, "../dist/main.js");

  const { stdout, stderr, status } = spawnSync(process.execPath, [main], { encoding: "utf8" });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout.trim().split("\n")).toEqual([
    "Stored: insert order, insert customer, insert line 1, insert line 2",
    "Refused (conflict.unique): email is taken.",
    "One transaction: merge order, delete line 1, merge line 2, insert line 3",
    "Two writers, 3 runs: line 4, no room for the last one",
    "3 lines, 279.20 in all. Call first.",
    "Removed: 4 rows",
  ]);
});
