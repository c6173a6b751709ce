import { PerformanceObserver } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { giveAway } from "../src/blocks/free-memory.ts";

test("young objects are collected for every 10 MiB of memory that are given away", async () => {
  let collections = 0;
  const observer = new PerformanceObserver((list) => (collections += list.getEntries().length));
  observer.observe({ entryTypes: ["gc"] });

  for (let given = 0; given < 100; given++) giveAway(1024 ** 2);
  for (let turn = 0; turn < 200 && collections < 10; turn++) await delay(1);
  observer.disconnect();

  expect(collections).toBeGreaterThanOrEqual(10);
});
