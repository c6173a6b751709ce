import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("inserts, queries, updates, deletes, and saves a batch in one transaction", () => {
  const main = join(import.meta.dirname, "../dist/main.js");

  const { stdout, stderr, status } = spawnSync(process.execPath, [main], { encoding: "utf8" });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout).toMatch(/Rated 3: Goodbye/);
  expect(stdout).toMatch(/One transaction: merge, merge, delete, insert, insert/);
  expect(
    stdout
      .trim()
      .split("\n")
      .slice(-4)
      .map((line) => line.trim()),
  ).toEqual([
    "2008-10-11  5  And one more",
    "2008-10-10  0  Back in one piece",
    "2008-10-03  2  Keys decide",
    "2008-10-02  4  Tables are simple",
  ]);
});
