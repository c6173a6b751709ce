import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { hasPostgres } from "@partita/test-support/postgres";
import { expect, test } from "vitest";

test.runIf(hasPostgres)("three servers are one service, also while one of them stops or dies", () => {
  const main = join(import.meta.dirname, "../src/main.ts");
  const target = `${process.env["PARTITA_POSTGRES"]}?schema=example16`;

  const { stdout, stderr, status } = spawnSync(process.execPath, [main, "--storage", target], {
    encoding: "utf8",
  });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  const counts: number[] = [];
  const output = stdout.replaceAll(/(?<=stored: |found: |Server \d: )\d+/g, (count) => {
    counts.push(Number(count));
    return "…";
  });
  expect(output.replace(/:\d+$/m, "").trim().split("\n")).toEqual([
    "Three servers, and a load balancer at http://127.0.0.1",
    "",
    "Azure's client:",
    "  inserted: 50",
    "  two changes of the same version: 204, 412",
    "  pages: 20, 20, 10",
    "",
    "Partita's client:",
    "  inserted: 50",
    "  two changes of the same version: saved, conflict (etag)",
    "  pages: 20, 20, 10",
    "",
    "Server 1 gets SIGTERM while both clients insert rows, without retries:",
    "  its exit code: 0",
    "  failed: 0, stored: …",
    "  it was started again, and gets requests",
    "",
    "Server 2 is killed while Partita's client inserts rows, with retries:",
    "  failed: 0, stored: …, found: …",
    "",
    "Responses:",
    "  Server 1: …",
    "  Server 2: …",
    "  Server 3: …",
  ]);
  const [drained, stored, found] = counts;
  expect(drained).toBeGreaterThan(16);
  expect(stored).toBeGreaterThan(16);
  expect(found).toBe(stored);
  expect(Math.min(...counts)).toBeGreaterThan(0);
});
