import { expect, test } from "vitest";
import { createTables, openStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { IndexTarget } from "../../src/indexes/index-target.ts";
import { findSuspects, readRange, type RangeReader } from "../../src/indexes/read-range.ts";
import { bucketOf, RowSums } from "../../src/jobs/row-sums.ts";
import { fill, Runner } from "./runners.ts";

const rowOf = (n: number, values: object = {}): StoredEntity => ({
  PartitionKey: "p",
  RowKey: `r${n}`,
  n,
  ...values,
});

test("two sets of the same rows have no difference, in any order and any number of times", () => {
  const sums = new RowSums();
  for (let n = 0; n < 500; n++) sums.add(rowOf(n), 1);
  for (let n = 0; n < 500; n++) sums.add(rowOf(n), 1);
  for (let n = 499; n >= 0; n--) sums.add(rowOf(n), -1);
  expect(sums.differing(1e6)).not.toEqual([]);
  for (let n = 499; n >= 0; n--) sums.add(rowOf(n), -1);
  expect(sums.differing(1e6)).toEqual([]);
});

test.each<[string, object, object]>([
  ["a value", { a: 1 }, { a: 2 }],
  ["a type", { a: 1 }, { a: "1" }],
  ["an EDM type", { a: 1 }, { a: 1, "a@odata.type": "Edm.Double" }],
  ["a name", { a: 1 }, { b: 1 }],
  ["a property more", {}, { a: "" }],
])("%s is a difference of its bucket alone", (_name, expected, found) => {
  const sums = new RowSums();
  for (let n = 0; n < 100; n++) {
    sums.add(rowOf(n, n === 7 ? expected : {}), 1);
    sums.add(rowOf(n, n === 7 ? found : {}), -1);
  }
  expect(sums.differing(1e6)).toEqual([new Set([bucketOf(rowOf(7))])]);
});

test("the same value written in another way is no difference; neither are ETag, Timestamp and the order of properties", () => {
  const sums = new RowSums();
  const time = { "t@odata.type": "Edm.DateTime" };
  const guid = { "g@odata.type": "Edm.Guid" };
  sums.add(
    rowOf(1, {
      t: "2026-01-02T03:04:05Z",
      ...time,
      g: "ABCDEF00-0000-0000-0000-000000000000",
      ...guid,
      a: 1,
    }),
    1,
  );
  sums.add(
    {
      a: 1,
      g: "abcdef00-0000-0000-0000-000000000000",
      ...guid,
      t: "2026-01-02T03:04:05.0000000Z",
      ...time,
      ...rowOf(1),
      Timestamp: "2026-01-01T00:00:00Z",
      "odata.etag": 'W/"1"',
    },
    -1,
  );
  expect(sums.differing(1e6)).toEqual([]);
});

test("where differences are more than are held at once, they are found in several readings: each once", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Runner]);
  await fill(storage, 300);
  const reader: RangeReader = {
    storage,
    target: new IndexTarget(Runner, "byAge"),
    request: {},
    onUnreadable: () => undefined,
    onRead: () => undefined,
  };
  const range = await readRange(reader, undefined);
  if (range === undefined) throw new Error("There are rows.");

  const lists = range.sums.differing(40);
  const keys: string[] = [];
  for (const buckets of lists) {
    const suspects = await findSuspects(reader, range, buckets);
    expect(suspects.length).toBeLessThanOrEqual(40);
    keys.push(...suspects.map(({ key }) => `${key.partitionKey} ${key.rowKey}`));
  }

  expect(lists.length).toBeGreaterThan(7);
  expect(keys).toHaveLength(300);
  expect(new Set(keys).size).toBe(300);
});
