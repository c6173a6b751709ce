import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLong } from "@partita/test-support/effort";
import { expect, test } from "vitest";
import { openStorage } from "../../../src/index.ts";
import { checkScale, storeReadings } from "./scale.ts";

const total = isLong ? 1_000_000 : 64 * 300;

test(`the latest ten of 64 buckets with ${total} rows, and the pages behind them, cost 64 short requests each`, async () => {
  const folder = await mkdtemp(join(tmpdir(), "partita-order-"));
  try {
    await using storage = await openStorage(`file:${join(folder, "readings.db")}`, { durability: "normal" });
    await storeReadings(storage, total);
    await checkScale(storage, total, isLong ? 20 : 5);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  expect.hasAssertions();
});
