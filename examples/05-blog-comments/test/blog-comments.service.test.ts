import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("reads posts with their comments in one range, and saves several kinds in one transaction", () => {
  const main = join(import.meta.dirname, "../dist/main.js");

  const { stdout, stderr, status } = spawnSync(process.execPath, [main], { encoding: "utf8" });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout.trim().split("\n")).toEqual([
    "How: 1 request, row range scan",
    " Post of 2008-10-03: Ann, Bo",
    " Post of 2008-10-02: Ann, Bo",
    "All posts, and what Ann wrote: post comment post comment post comment",
    "One transaction: delete, merge, insert",
    'The latest 100: photo summit.jpg · "Thought 119" · "Thought 118" …',
    "Photos only: 41 · partition scan (fair) · 1 partition · PartitionKey eq 'chris' · filter Type eq 'Photo'",
  ]);
});
