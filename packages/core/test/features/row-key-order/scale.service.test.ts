import { isFull, isLong } from "@partita/test-support/effort";
import { startAzurite } from "@partita/test-support/azurite";
import { fillAzurite } from "@partita/test-support/azurite-file";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { startTableServer } from "@partita/server";
import { expect, test } from "vitest";
import { openStorage } from "../../../src/index.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { checkPages, checkScale, readingsByBucket, storeReading, storeReadings } from "./scale.ts";

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

test.runIf(isFull)("the latest ten of 64 buckets cost 64 short requests, over Azurite", async () => {
  // Azurite walks through the whole partition for each row that it inserts.
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

// Minutes: Azurite walks through all rows of the table for each request.
test.runIf(isLong)("so they do among 1,000,000 rows that Azurite finds in its file", async () => {
  const total = 1_000_000;
  await using folder = await temporaryFolder();
  const rows = readingsByBucket(total).flat();
  const first = await startAzurite({ folder: folder.path });
  {
    await using storage = await openStorage(first.connectionString);
    await storeReading(storage, rows[0] as StoredEntity);
  }
  await first.stop();
  await fillAzurite(folder.path, "Readings", rows);
  const azurite = await startAzurite({ folder: folder.path, heapMb: 6_000 });
  try {
    // Sixteen at once are answered one after the other.
    await using storage = await openStorage(azurite.connectionString, { timeouts: { readMs: 600_000 } });
    await checkPages(storage, total, 3);
  } finally {
    await azurite.stop();
  }
  expect.hasAssertions();
});
