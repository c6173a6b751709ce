import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the channel and its posts are gone, however often the worker was killed", () => {
  const main = join(import.meta.dirname, "../dist/main.js");

  const { stdout, stderr, status } = spawnSync(process.execPath, [main], { encoding: "utf8" });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  const lines = stdout.trim().split("\n");
  expect(lines.slice(0, 2)).toEqual([
    "Before: Football is there, with 2000 posts.",
    "Before: Chess is there, with 3 posts.",
  ]);
  expect(lines.slice(-4)).toEqual([
    "After: Football is gone, with 0 posts.",
    "After: Chess is there, with 3 posts.",
    "The run is done. Recorded steps: mark, blogs, late posts, late, channel.",
    "Messages left: 0.",
  ]);
  expect(lines.slice(2, -4)).toHaveLength(5);
});
