import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("each order is shipped, one that came twice is stored once, and what is no order is put aside", () => {
  const main = join(import.meta.dirname, "../dist/main.js");

  const { stdout, stderr, status } = spawnSync(process.execPath, [main], { encoding: "utf8" });

  // The package says that there is no host.
  expect(stderr.replaceAll(/^WARNING: .*"@azure\/functions" package .*\n/gm, "")).toBe("");
  expect(status).toBe(0);
  const lines = stdout.trim().split("\n");
  // Messages that become visible at the same time have no order.
  expect(lines.slice(0, -3).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "Order 1 is shipped.",
    "Order 2 is shipped.",
    "Order 2 is shipped.",
    ...[1, 2, 3, 4, 5].map((n) => `Try ${n} failed: TypeError: The message is not an order.`),
  ]);
  expect(lines.slice(-3)).toEqual([
    "Shipped: order 1 in 3 parcels, order 2 in 3 parcels",
    "Left in the queue: 0",
    "Put aside: no order",
  ]);
});
