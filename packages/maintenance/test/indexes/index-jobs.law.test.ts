import { amountOf, isLong } from "@partita/test-support/effort";
import { randomFaults, withFaults } from "@partita/testing";
import { shortWaits } from "@partita/test-support/short-waits";
import { expect, test } from "vitest";
import { createTables, openStorage, StorageError, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { buildIndex, dropIndex, verifyIndex } from "../../src/index.ts";
import { allRows, BuildingRunner, expectedRows, fill, indexRows, RetiredRunner, Runner } from "./runners.ts";

shortWaits();

async function store(count: number): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Runner]);
  await fill(storage, count);
  return storage;
}

/** A request may meet a fault in each of its tries, which ends a call: a later one resumes it. */
async function twice<Result>(call: () => Promise<Result>): Promise<Result> {
  return call().catch((error: unknown) => {
    if (error instanceof StorageError) return call();
    throw error;
  });
}

test("random faults, many of them late: indexes are built, repaired and dropped, whatever arrives afterwards", async () => {
  const options = { concurrency: 1, claimTimeoutMs: 100 };
  for (let seed = 1; seed <= amountOf({ short: 1, full: 2, long: 30 }); seed++) {
    await using inner = await store(60);
    const flaky = withFaults(inner, randomFaults({ seed, rate: 0.1 }));

    for (const name of ["byAge", "byEmail"]) {
      const build = () => twice(() => buildIndex(flaky, BuildingRunner, name as "byAge", options));
      const reports = await Promise.all([build(), build()]);
      expect(reports.map(({ isClean }) => isClean)).toEqual([true, true]);
    }
    await flaky.settle();
    for (const { RowKey, PartitionKey } of (await allRows(inner)).filter((row) => row.RowKey.endsWith("9")))
      await inner.write("Races", {
        type: "delete",
        key: { partitionKey: PartitionKey, rowKey: RowKey },
        etag: "*",
      });
    await twice(() => verifyIndex(flaky, Runner, undefined, { repair: true }));
    await flaky.settle();
    expect(await verifyIndex(inner, Runner)).toMatchObject({ isClean: true });
    const rows = await allRows(inner);
    expect(indexRows(rows)).toEqual(expectedRows(rows));

    const drop = () => twice(() => dropIndex(flaky, RetiredRunner, "byAge", options));
    await Promise.all([drop(), drop()]);
    await flaky.settle();
    expect(indexRows(await allRows(inner), "AGE:")).toEqual([]);
  }
});

// Each of the two partitions has more rows than are compared together.
test.runIf(isLong)(
  "large tables are compared partition by partition, and few rows are read twice",
  async () => {
    await using storage = await store(0);
    await fill(storage, 80_000);
    expect(await buildIndex(storage, BuildingRunner, "byAge")).toMatchObject({
      written: 80_000,
      isClean: true,
    });
    for (const partitionKey of ["R1", "R2"])
      await storage.write("Races", { type: "delete", key: { partitionKey, rowKey: "BIB:39999" }, etag: "*" });
    let points = 0;
    const counted = forwardStorage(storage, {
      get: (table, key, options) => {
        points++;
        return storage.get(table, key, options);
      },
    });

    const found = await verifyIndex(counted, Runner, "byAge", { repair: true });

    expect(found).toMatchObject({ entities: 79_998, rows: 80_000, extra: 2, repaired: 2, isClean: true });
    expect(points).toBeLessThan(50);
  },
);
