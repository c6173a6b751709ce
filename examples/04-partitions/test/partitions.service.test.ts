import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("answers each question under three partition schemes, says what it cost, and moves a feed", () => {
  const main = join(import.meta.dirname, "../dist/main.js");

  const { stdout, stderr, status } = spawnSync(process.execPath, [main], { encoding: "utf8" });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  const costs = (feed: string): string[] =>
    (stdout.split(`\n${feed}\n`)[1] as string)
      .split("\n\n")[0]!
      .trim()
      .split("\n")
      .map((line) => line.replace(/ · .* · /, ", ").trim());
  expect(costs("PostByChannel")).toEqual([
    "latest 10: 10 found, 1 request(s)",
    "posts of 3 July: 1 found, 1 request(s)",
    "June and July: 61 found, 1 request(s)",
    "a whole year: 366 found, 1 request(s)",
  ]);
  expect(costs("PostByMonth")).toEqual([
    "latest 10: 10 found, 1 request(s)",
    "posts of 3 July: 1 found, 1 request(s)",
    "June and July: 61 found, 2 request(s)",
    "a whole year: 366 found, 12 request(s)",
  ]);
  expect(costs("PostBySeason")).toEqual([
    "latest 10: 10 found, 1 request(s)",
    "posts of 3 July: 1 found, 1 request(s)",
    "June and July: 61 found, 10 request(s)",
    "a whole year: 366 found, 24 request(s)",
  ]);
  expect(stdout).toMatch(/1234 {2}John, 55/);
  expect(stdout).toMatch(/refused: .*\.scan\(\)/);
  expect(costs("From months to weeks")).toEqual([
    "moved: every post",
    "read meanwhile: complete and in order each time",
    "liked meanwhile: no like is lost",
    "old rows left: 0",
  ]);
});
