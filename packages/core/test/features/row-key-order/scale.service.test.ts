import { startAzurite } from "@partita/test-support/azurite";
import { startTableServer } from "@partita/testing";
import { expect, test } from "vitest";
import { openStorage } from "../../../src/index.ts";
import { checkScale, storeReadings } from "./scale.ts";

const isLong = process.env["PARTITA_LONG"] !== undefined;

test("the latest ten of 64 buckets cost 64 short requests, over the table server", async () => {
  const total = isLong ? 1_000_000 : 64 * 50;
  await using inner = await openStorage("memory:");
  // What the server stores is loaded behind its back: over HTTP that takes most of the time.
  await storeReadings(inner, total);
  await using server = await startTableServer({ storage: inner });
  await using storage = await openStorage(server.connectionString);
  await checkScale(storage, total, isLong ? 10 : 3);
  expect.hasAssertions();
});

test("the latest ten of 64 buckets cost 64 short requests, over Azurite", async () => {
  // With 300,000 rows Azurite closes connections.
  const total = isLong ? 100_000 : 64 * 20;
  const azurite = await startAzurite();
  try {
    await using storage = await openStorage(azurite.connectionString);
    await storeReadings(storage, total);
    await checkScale(storage, total, isLong ? 10 : 3);
  } finally {
    await azurite.stop();
  }
  expect.hasAssertions();
});
