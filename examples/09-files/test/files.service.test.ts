import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("no line and no item is lost or doubled, and files come out as they went in", () => {
  const main = join(import.meta.dirname, "../dist/main.js");

  const { stdout, stderr, status } = spawnSync(process.execPath, [main], { encoding: "utf8" });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout.trim().split("\n")).toEqual([
    "Log: 4 writers, 100 lines, each writer's in its order: yes.",
    "Queue: 3 consumers took 60 items, 60 different ones.",
    "Folder: 4 files copied in and out, the same: yes.",
    "Deleted 4 files; deleted versions stay for a week.",
  ]);
});
