import { setImmediate as nextTurn } from "node:timers/promises";
import { isLong } from "@partita/test-support/effort";
import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { StoredPage, RequestOptions, StoredEntity, StoredQuery } from "../../src/storage.ts";
import { bucket, newestFirst } from "../../src/keys.ts";

class Event extends defineEntity({
  table: "Events",
  partitionKey: { device: bucket(64) },
  rowKey: { at: newestFirst, device: text() },
  properties: { value: int32() },
}) {}

const total = isLong ? 200_000 : 10_000;

async function store(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Event]);
  const partitions = new Map<string, StoredEntity[]>();
  for (let i = 0; i < total; i++) {
    const device = `device-${i % 1000}`;
    const PartitionKey = bucket(64).encode(device) as string;
    const rows = partitions.get(PartitionKey) ?? [];
    partitions.set(PartitionKey, rows);
    rows.push({ PartitionKey, RowKey: `${newestFirst.encode(new Date(i * 1000))}_${device}`, value: i });
  }
  for (const rows of partitions.values())
    for (let from = 0; from < rows.length; from += 100)
      await storage.transact(
        "Events",
        rows.slice(from, from + 100).map((entity) => ({ type: "insert", entity })),
      );
  return storage;
}

/** Counts the requests of a storage that are on their way, and the rows that it returned. */
function watched(storage: TableStorage) {
  const seen = { waiting: 0, mostWaiting: 0, requests: 0, cancelled: 0, rows: 0 };
  const query = async (table: string, asked: StoredQuery, options?: RequestOptions): Promise<StoredPage> => {
    seen.requests++;
    seen.mostWaiting = Math.max(seen.mostWaiting, ++seen.waiting);
    options?.signal?.addEventListener("abort", () => seen.cancelled++);
    // Whoever sends more requests has sent them by the next turn of the event loop.
    await nextTurn();
    seen.waiting--;
    const page = await storage.query(table, asked, options);
    seen.rows += page.entities.length;
    return page;
  };
  return {
    seen,
    storage: Object.assign(Object.create(storage) as TableStorage, { query, get: storage.get.bind(storage) }),
  };
}

test("64 buckets stream in key order, a few pages ahead and never more than one of each", async () => {
  await using inner = await store();
  const { seen, storage } = watched(inner);
  const context = new TableContext(storage, { mergeOption: "noTracking" });
  const query = context.query(Event).where((e) => e.at.ge(new Date(0)));

  let [before, count, mostAhead, isSorted] = ["", 0, 0, true];
  for await (const event of query) {
    const key = `${bucket(64).encode(event.device)}\0${newestFirst.encode(event.at)}_${event.device}`;
    isSorted &&= key > before;
    before = key;
    mostAhead = Math.max(mostAhead, seen.rows - ++count);
  }

  expect([count, isSorted]).toEqual([total, true]);
  expect(query.explain()).toMatchObject({ type: "row range scan", partitions: 64 });
  // The page the consumer is at, and at most 8 that were asked for ahead.
  expect(mostAhead).toBeLessThanOrEqual(9 * 1000);
});

test("reading all of it asks eight partitions at a time", async () => {
  await using inner = await store();
  const { seen, storage } = watched(inner);

  expect(
    await new TableContext(storage)
      .query(Event)
      .where((e) => e.at.ge(new Date(0)))
      .count(),
  ).toBe(total);
  expect(seen.mostWaiting).toBe(8);
});

test("a consumer that stops early costs few requests, and cancels those on their way", async () => {
  await using inner = await store();
  const { seen, storage } = watched(inner);
  const context = new TableContext(storage, { mergeOption: "noTracking" });

  for await (const event of context.query(Event).where((e) => e.at.ge(new Date(0)))) {
    expect(event).toBeInstanceOf(Event);
    break;
  }

  expect(seen.requests).toBeLessThanOrEqual(2);
  expect(seen.cancelled).toBe(1);
});

test("an error of a request ahead comes when its turn does", async () => {
  await using inner = await store();
  const last = bucket(64).texts([])?.at(-1) as string;
  const failing = Object.assign(Object.create(inner) as TableStorage, {
    query: (table: string, asked: StoredQuery, options?: RequestOptions) =>
      JSON.stringify(asked.filter).includes(`"${last}"`)
        ? Promise.reject(new Error("no such luck"))
        : inner.query(table, asked, options),
  });
  const context = new TableContext(failing, { mergeOption: "noTracking" });
  const ofLast = await new TableContext(inner)
    .query(Event)
    .where((e) => e.at.ge(new Date(0)))
    .toArray();
  const expected = ofLast.filter((e) => bucket(64).encode(e.device) !== last).length;

  let count = 0;
  const all = (async () => {
    for await (const _ of context.query(Event).where((e) => e.at.ge(new Date(0)))) count++;
  })();
  await expect(all).rejects.toThrow("no such luck");
  expect(count).toBe(expected);
});

test("a signal that is aborted stops the query where it is", async () => {
  await using inner = await store();
  const { storage } = watched(inner);
  const stop = new AbortController();
  const query = new TableContext(storage, { mergeOption: "noTracking" })
    .query(Event)
    .where((e) => e.at.ge(new Date(0)));

  let count = 0;
  const all = (async () => {
    for await (const _ of query.stream({ signal: stop.signal })) if (++count === 1) stop.abort();
  })();
  await expect(all).rejects.toMatchObject({ code: "storage.cancelled" });
  expect(count).toBeLessThanOrEqual(1000);
});
