import { compareTables, copyTable } from "@partita/transfer";
import { openStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { startTableServer } from "@partita/server";
import { isLong } from "@partita/test-support/effort";
import { randomFaults, withFaults } from "@partita/testing";
import { storedEntity } from "@partita/testing/arbitraries";
import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { fill } from "@partita/test-support/rows";

/** Rows of a few partitions, so that transactions fail, too. */
const tables: fc.Arbitrary<StoredEntity[]> = fc.array(
  fc
    .tuple(storedEntity(5), fc.constantFrom("", "a", "é"))
    .map(([entity, partition]) => ({ ...entity, PartitionKey: partition })),
  { maxLength: 40 },
);

test.prop([tables, fc.integer()], { numRuns: isLong ? 300 : 5, seed: 20_261_123 })(
  "a table is the same after it was copied to a service and back, whatever fails on both sides",
  async (rows, seed) => {
    await using from = await openStorage("memory:");
    await using back = await openStorage("memory:");
    await using server = await startTableServer();
    await using service = await openStorage(server.connectionString);
    await fill(from, "Rows", rows);
    const faults = randomFaults({ seed, rate: 0.05 });
    const [faultyFrom, faultyBack] = [withFaults(from, faults), withFaults(back, faults)];
    const faultyService = withFaults(service, faults);

    const away = await copyTable(faultyFrom, faultyService, "Rows", { as: "Away", concurrency: 2 });
    const home = await copyTable(faultyService, faultyBack, "Away", { as: "Rows", concurrency: 2 });

    expect([away.refused, home.refused]).toEqual([0, 0]);
    expect(await compareTables(from, back, "Rows")).toMatchObject({ isEqual: true });
  },
);
