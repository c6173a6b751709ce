import { startTableServer } from "@partita/server";
import { amountOf } from "@partita/test-support/effort";
import { startAzurite } from "@partita/test-support/azurite";
import { expect, test } from "vitest";
import { openStorage } from "../../../src/index.ts";
import { race } from "./races.ts";

const [overSockets, overAzurite] = amountOf({ short: [100, 5], full: [100, 20], long: [10_000, 1000] });

test(`of two writers of one unique value, exactly one commits, in ${overSockets} races over REST`, async () => {
  await using server = await startTableServer();
  await using storage = await openStorage(server.connectionString);

  await expect(race(storage, overSockets)).resolves.toBeUndefined();
});

test(`of two writers of one unique value, exactly one commits, in ${overAzurite} races over Azurite`, async () => {
  const azurite = await startAzurite();
  try {
    await using storage = await openStorage(azurite.connectionString);

    await expect(race(storage, overAzurite)).resolves.toBeUndefined();
  } finally {
    await azurite.stop();
  }
});
