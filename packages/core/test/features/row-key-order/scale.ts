import { expect } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { inParallel } from "../../../src/storage/in-parallel.ts";
import { bucket, newestFirst } from "../../../src/keys.ts";
import { observed } from "./observed.ts";

class Reading extends defineEntity({
  table: "Readings",
  partitionKey: { device: bucket(64) },
  rowKey: { at: newestFirst, device: text() },
  properties: { value: int32() },
}) {}

const start = Date.UTC(2024, 0);

/** So many readings of 1,000 devices in 64 buckets, three of them in each second: those of each bucket. */
export function readingsByBucket(total: number): readonly (readonly StoredEntity[])[] {
  const buckets = new Map<string, StoredEntity[]>();
  for (let value = 0; value < total; value++) {
    const device = `device-${(value * 7919) % 1000}`;
    const PartitionKey = bucket(64).encode(device) as string;
    const at = new Date(start + Math.floor(value / 3) * 1000);
    const entity = { PartitionKey, RowKey: `${newestFirst.encode(at)}_${device}`, value };
    const rows = buckets.get(PartitionKey);
    if (rows === undefined) buckets.set(PartitionKey, [entity]);
    else rows.push(entity);
  }
  expect(buckets.size).toBe(64);
  return [...buckets.values()];
}

/** Creates the table of readings, and stores so many of them. */
export async function storeReadings(storage: TableStorage, total: number): Promise<void> {
  await createTables(storage, [Reading]);
  const transactions = readingsByBucket(total).flatMap((rows) =>
    Array.from({ length: Math.ceil(rows.length / 100) }, (_, i) => rows.slice(100 * i, 100 * (i + 1))),
  );
  await inParallel(transactions, 8, (rows) =>
    storage.transact(
      "Readings",
      rows.map((entity) => ({ type: "insert", entity })),
    ),
  );
}

/** Creates the table of readings, and stores one of them. */
export async function storeReading(storage: TableStorage, entity: StoredEntity): Promise<void> {
  await createTables(storage, [Reading]);
  await storage.write("Readings", { type: "insert", entity });
}

/** What the readings' values are, sorted whole by RowKey and PartitionKey. */
function sortedValues(total: number): number[] {
  const second = (value: number): number => Math.floor(value / 3);
  const device = (value: number): string => `device-${(value * 7919) % 1000}`;
  return Array.from({ length: total }, (_, value) => value).sort(
    (a, b) => second(b) - second(a) || (device(a) < device(b) ? -1 : 1),
  );
}

/**
 * The latest ten of all buckets, and the pages behind them, are those of the sorted whole, and each costs 64 requests of
 * ten rows at most.
 */
export async function checkPages(inner: TableStorage, total: number, pages: number): Promise<void> {
  const sorted = sortedValues(total);
  const seen = observed(inner);
  const latest = new TableContext(seen.storage, { mergeOption: "noTracking" }).query(Reading).inRowKeyOrder();
  const checkCost = (): void => {
    expect(seen.queries.length).toBeLessThanOrEqual(64);
    expect(new Set(seen.queries.map(({ top }) => top))).toEqual(new Set([10]));
    expect(seen.rows).toBeLessThanOrEqual(640);
    expect(seen.mostAtOnce).toBe(16);
  };
  expect((await latest.take(10).toArray()).map(({ value }) => value)).toEqual(sorted.slice(0, 10));
  checkCost();

  let after: string | undefined;
  for (let page = 0; page < pages; page++) {
    seen.reset();
    const { entities, next } = await latest.page({ size: 10, after });
    expect(entities.map(({ value }) => value)).toEqual(sorted.slice(10 * page, 10 * (page + 1)));
    checkCost();
    after = next;
  }
}

/** As `checkPages`; so is the whole, where it is asked for. */
export async function checkScale(inner: TableStorage, total: number, pages: number): Promise<void> {
  await checkPages(inner, total, pages);
  const sorted = sortedValues(total);
  const seen = observed(inner);
  const all = new TableContext(seen.storage, { mergeOption: "noTracking" }).query(Reading).inRowKeyOrder();
  let [count, wrong] = [0, 0];
  for await (const { value } of all.scan()) if (value !== sorted[count++]) wrong++;
  expect([count, wrong]).toEqual([total, 0]);
  // Each bucket begins with a short page.
  expect(seen.queries.length).toBeLessThanOrEqual(64 * (8 + Math.ceil(total / 64 / 1000)));
}
