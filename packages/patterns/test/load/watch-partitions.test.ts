import { warningsDuring } from "@partita/test-support/warnings";
import { createHash } from "node:crypto";
import { manualClock } from "@partita/testing";
import { describe, expect, test, vi } from "vitest";
import {
  createTables,
  defineEntity,
  guid,
  int32,
  openStorage,
  StorageError,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import type { WriteOperation } from "@partita/core/storage";
import { type WatchedStorage, watchPartitions } from "../../src/index.ts";
import { type AnyKeyFormat, newestFirst, oldestFirst } from "@partita/core/keys";
import {
  EncodedWrite,
  engineOf,
  forwardStorage,
  hasRowBytes,
  offerEngine,
  readRow,
  readRows,
  type RowReader,
  type StoreEngine,
} from "@partita/core/internal";
import { PartitionCounts } from "../../src/load/partition-load.ts";
import { systemClock } from "@partita/core/internal";

class Reading extends defineEntity({
  table: "Readings",
  partitionKey: { sensor: text() },
  rowKey: { id: text() },
  properties: { value: int32() },
}) {}

const insert = (partitionKey: string, rowKey: string): WriteOperation => ({
  type: "insert",
  entity: { PartitionKey: partitionKey, RowKey: rowKey, value: 1 },
});

const idOf = (i: number): string => String(i).padStart(4, "0");
/** As `randomUUID` makes them, but the same in every run. */
const guidOf = (i: number): string =>
  createHash("md5")
    .update(String(i))
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

async function memory(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Reading]);
  return storage;
}

/** Stores so many rows of a partition, before anybody watches. */
async function fill(storage: TableStorage, sensor: string, rows: number): Promise<void> {
  for (let i = 0; i < rows; i += 100) {
    const length = Math.min(100, rows - i);
    const operations = Array.from({ length }, (_, at) => insert(sensor, idOf(i + at)));
    await storage.transact("Readings", operations);
  }
}

/** What was counted, in short. */
const loadOf = (watched: WatchedStorage): unknown[] =>
  watched.load().partitions.map(({ partition, read, written }) => [partition, read, written]);

describe("what is counted", () => {
  test("entities that are found, page by page and in each partition, whatever asks for them", async () => {
    const inner = await memory();
    await fill(inner, "a", 300);
    await fill(inner, "b", 40);
    await using watched = watchPartitions(inner, { showKeys: true });

    await new TableContext(watched).query(Reading).where({ sensor: "a" }).toArray();
    await new TableContext(watched).query(Reading).scan().mergeOption("noTracking").toArray();
    await new TableContext(watched).query(Reading).where({ sensor: "b" }).take(3).toArray();
    await new TableContext(watched).find(Reading, { sensor: "b", id: idOf(7) });
    await new TableContext(watched).find(Reading, { sensor: "b", id: "none" });

    expect(loadOf(watched)).toEqual([
      ["a", 600, 0],
      ["b", 44, 0],
    ]);
    expect(watched.load()).toMatchObject({ read: 644, written: 0, unlistedAtMost: 0 });
  });

  test("entities that are written or removed, alone and in transactions", async () => {
    await using watched = watchPartitions(await memory(), { showKeys: true });
    const context = new TableContext(watched);
    for (let i = 0; i < 5; i++) context.create(Reading, { sensor: "a", id: idOf(i), value: i });
    const only = context.create(Reading, { sensor: "b", id: "1", value: 1 });
    await context.saveChanges();
    only.value = 2;
    await context.saveChanges();
    context.remove(only);
    await context.saveChanges();

    expect(loadOf(watched)).toEqual([
      ["a", 0, 5],
      ["b", 0, 3],
    ]);
  });

  test("nothing where a request fails, and the error is the storage's own", async () => {
    await using watched = watchPartitions(await memory());
    await watched.write("Readings", insert("a", "1"));

    const failures = await Promise.all([
      watched.write("Readings", insert("a", "1")).catch((error: unknown) => error),
      watched.transact("Readings", [insert("a", "2"), insert("a", "1")]).catch((error: unknown) => error),
      watched.query("Missing", {}).catch((error: unknown) => error),
      watched.get("Missing", { partitionKey: "a", rowKey: "1" }).catch((error: unknown) => error),
      watched.write("Readings", undefined as never).catch((error: unknown) => error),
      watched.transact("Readings", undefined as never).catch((error: unknown) => error),
    ]);

    expect(failures.slice(0, 4).every((error) => error instanceof StorageError)).toBe(true);
    expect(failures.every((error) => error instanceof Error)).toBe(true);
    expect(watched.load()).toMatchObject({ read: 0, written: 1, partitions: [{ written: 1 }] });
  });

  test("partitions of tables whose names differ in case only are the same", async () => {
    await using watched = watchPartitions(await memory());
    await watched.write("Readings", insert("a", "1"));
    await watched.write("READINGS", insert("a", "2"));

    expect(watched.load().partitions).toMatchObject([{ written: 2 }]);
  });
});

describe("a report", () => {
  test("has hashes in the place of keys, unless keys are asked for", async () => {
    const inner = await memory();
    await using watched = watchPartitions(inner);
    await using open = watchPartitions(inner, { showKeys: true });
    await watched.write("Readings", insert("jane@example.com", "1"));
    await open.write("Readings", insert("jane@example.com", "2"));

    const [partition] = watched.load().partitions;

    expect(partition?.partition).toBe(
      createHash("sha256").update("jane@example.com").digest("hex").slice(0, 16),
    );
    expect(JSON.stringify(watched.load())).not.toContain("jane");
    expect(open.load().partitions[0]?.partition).toBe("jane@example.com");
  });

  test("has rates by the clock it was given", async () => {
    const inner = await memory();
    await fill(inner, "a", 90);
    const clock = manualClock(0);
    await using watched = watchPartitions(inner, { clock, showKeys: true });
    const readAll = (): Promise<unknown> => new TableContext(watched).query(Reading).scan().toArray();
    await readAll();
    clock.advance(60_000);
    await readAll();
    clock.advance(30_000);

    expect(watched.load()).toMatchObject({
      minutes: 1.5,
      read: 180,
      perMinute: 135,
      partitions: [{ partition: "a", read: 180, perMinute: 135 }],
    });
    clock.advance(600_000);
    expect(watched.load()).toMatchObject({ read: 180, perMinute: 0, partitions: [{ perMinute: 0 }] });
  });

  test("with reset is of its own interval; which keys were seen stays known", async () => {
    const clock = manualClock(0);
    await using watched = watchPartitions(await memory(), { clock });
    await watched.write("Readings", insert("a", "1"));
    clock.advance(120_000);

    expect(watched.load({ reset: true })).toMatchObject({ minutes: 2, written: 1 });
    expect(watched.load()).toMatchObject({
      minutes: 0,
      written: 0,
      partitions: [],
      inserts: [{ inserts: 1 }],
    });
  });

  test("lists 100 partitions, the hottest for certain, and says what the others may have", async () => {
    await using watched = watchPartitions(await memory(), { showKeys: true });
    for (let i = 0; i < 300; i++) {
      await watched.write("Readings", insert(`cold ${i}`, "1"));
      if (i % 10 === 0) await watched.write("Readings", insert("hot", idOf(i)));
    }

    const { partitions, written, unlistedAtMost } = watched.load();

    expect(written).toBe(330);
    expect(partitions).toHaveLength(100);
    const hot = partitions.find(({ partition }) => partition === "hot");
    expect(hot?.written).toBeLessThanOrEqual(30);
    expect((hot?.written ?? 0) + (hot?.missedAtMost ?? 0)).toBeGreaterThanOrEqual(30);
    expect(unlistedAtMost).toBeLessThanOrEqual(3.3);
  });

  test("has the inserts of 1,000 tables at most", () => {
    const counts = new PartitionCounts(systemClock, false);
    for (let i = 0; i < 1200; i++) counts.inserted(`Table${i}`, "a");

    const { inserts } = counts.report();

    expect(inserts).toHaveLength(1000);
    expect(inserts[0]?.table).toBe("Table200");
  });
});

describe("a storage that is watched", () => {
  test("says of itself what the storage says", async () => {
    const inner = forwardStorage(await memory(), { isUnordered: true, reachedTime: () => 5 });
    await using watched = watchPartitions(inner);

    expect(watched.description).toBe("memory:");
    expect(watched.isUnordered).toBe(true);
    expect(watched.reachedTime?.()).toBe(5);
    expect(await watched.listTables()).toEqual(["Readings"]);
  });

  test("is closed with its watch", async () => {
    const inner = await memory();
    await watchPartitions(inner).close();

    await expect(inner.listTables()).rejects.toMatchObject({ code: "storage.closed" });
  });

  test("hands rows over as its readers make them of bytes, and reads none through the port", async () => {
    const inner = await memory();
    await fill(inner, "a", 300);
    const query = vi.fn<TableStorage["query"]>();
    const noting = forwardStorage(inner, { query });
    offerEngine(noting, engineOf(inner) as StoreEngine);
    await using watched = watchPartitions(noting, { showKeys: true });

    for (let i = 0; i < 3; i++)
      await new TableContext(watched).query(Reading).where({ sensor: "a" }).toArray();

    expect(query).not.toHaveBeenCalled();
    expect(loadOf(watched)).toEqual([["a", 900, 0]]);
  });

  test("hands new rows to a store of our own as the encoder made them, and to another one as plain rows", async () => {
    const sent: boolean[] = [];
    for (const isOurs of [true, false]) {
      const inner = await memory();
      const note = (operations: readonly WriteOperation[]): void =>
        void sent.push(...operations.map((operation) => operation instanceof EncodedWrite));
      const storage = forwardStorage(inner, {
        transact: (table, operations, options) => (
          note(operations),
          inner.transact(table, operations, options)
        ),
      });
      const engine = engineOf(inner) as StoreEngine;
      if (isOurs)
        offerEngine(storage, {
          readRows: engine.readRows.bind(engine),
          commit: (table, operations, options) => (
            note(operations),
            engine.commit(table, operations, options)
          ),
        });
      const context = new TableContext(watchPartitions(storage));
      for (const id of ["1", "2"]) context.create(Reading, { sensor: "a", id, value: 1 });
      await context.saveChanges();
    }

    expect(sent).toEqual([true, true, false, false]);
  });

  test("gives bodies to a server where the storage does, also when it is watched twice", async () => {
    const inner = await memory();
    await fill(inner, "a", 3);
    await fill(inner, "b", 2);
    const once = watchPartitions(inner, { showKeys: true });
    await using twice = watchPartitions(once, { showKeys: true });
    const readBody: RowReader["readBody"] = ({ rowKey, bytes }) =>
      rowKey === idOf(1) ? undefined : Buffer.from(bytes);

    const reader: RowReader = { readBody, readList: () => undefined };
    const { rows } = await readRows(twice, "Readings", {}, reader);
    const found = await readRow(twice, "Readings", { partitionKey: "b", rowKey: idOf(0) }, reader);

    expect(hasRowBytes(twice)).toBe(true);
    expect(hasRowBytes(watchPartitions(forwardStorage(inner, {})))).toBe(false);
    expect(rows.map((row) => Buffer.isBuffer(row))).toEqual([true, false, true, true, false]);
    expect(Buffer.isBuffer(found?.row)).toBe(true);
    for (const watched of [once, twice])
      expect(loadOf(watched)).toEqual([
        ["a", 3, 0],
        ["b", 3, 0],
      ]);
  });
});

describe("inserts at one end", () => {
  const classWith = (key: AnyKeyFormat) =>
    class Entry extends defineEntity({
      table: "Entries",
      partitionKey: { key },
      rowKey: { id: text() },
      properties: {},
    }) {};

  /** Saves so many entities, each in a partition of its own, in saves of 50. */
  async function saveAll(
    storage: TableStorage,
    key: AnyKeyFormat,
    values: readonly unknown[],
  ): Promise<void> {
    const Entry = classWith(key);
    await createTables(storage, [Entry]);
    for (let from = 0; from < values.length; from += 50) {
      const context = new TableContext(storage);
      for (const value of values.slice(from, from + 50)) {
        context.create(Entry, { key: value, id: "1" } as never);
        context.create(Entry, { key: value, id: "2" } as never);
      }
      await context.saveChanges();
    }
  }

  const dates = Array.from({ length: 1200 }, (_, i) => new Date(Date.UTC(2026, 0, 1) + i * 250));

  test("are reported once, with the table, the share and a remedy", async () => {
    await using watched = watchPartitions(await openStorage("memory:"));

    const warnings = await warningsDuring(() => saveAll(watched, oldestFirst, dates));

    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ code: "PARTITA_APPEND_ONLY" });
    expect(warnings[0]?.message).toMatch(
      /^9\d % of the last 1000 inserts into table Entries went to partitions behind all .*\(append-only\).*bucket\(16\)/,
    );
    expect(warnings[0]?.message).not.toContain(oldestFirst.encode(dates[0] as Date));
    expect(watched.load().inserts).toEqual([
      { table: "Entries", inserts: 1000, beyondLargest: 1, belowSmallest: 0 },
    ]);
  });

  test("are reported where they come before all others, too", async () => {
    await using watched = watchPartitions(await openStorage("memory:"));

    const warnings = await warningsDuring(() => saveAll(watched, newestFirst, dates));

    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/partitions before all .*\(prepend-only\)/),
    ]);
  });

  test("are not there with GUIDs", async () => {
    await using watched = watchPartitions(await openStorage("memory:"));
    const ids = dates.map((_, i) => guidOf(i));

    const warnings = await warningsDuring(() => saveAll(watched, guid, ids));

    expect(warnings).toEqual([]);
    const [inserts] = watched.load().inserts;
    expect(inserts?.inserts).toBe(1000);
    expect(Math.max(inserts?.beyondLargest ?? 1, inserts?.belowSmallest ?? 1)).toBeLessThan(0.1);
  });

  test("are not reported of fewer than 1,000, and upserts are none", async () => {
    await using watched = watchPartitions(await memory());

    const warnings = await warningsDuring(async () => {
      for (let i = 0; i < 999; i++) await watched.write("Readings", insert(idOf(i), "1"));
      for (let i = 1000; i < 1200; i++)
        await watched.write("Readings", {
          type: "upsert-replace",
          entity: { PartitionKey: idOf(i), RowKey: "1" },
        });
    });

    expect(warnings).toEqual([]);
    expect(watched.load().inserts).toMatchObject([{ inserts: 999 }]);
  });

  test("are counted where there is no process to warn", () => {
    const counts = new PartitionCounts(systemClock, true);
    vi.stubGlobal("process", undefined);
    try {
      for (let i = 0; i < 1100; i++) counts.inserted("Readings", idOf(i));
    } finally {
      vi.unstubAllGlobals();
    }

    expect(counts.report().inserts).toMatchObject([{ beyondLargest: 1 }]);
  });
});

describe("wrong calls", () => {
  test.each([
    ["no storage", () => watchPartitions(undefined as never)],
    ["a promise of one", () => watchPartitions(openStorage("memory:") as never)],
    ["an option that is not known", async () => watchPartitions(await memory(), { showkeys: true } as never)],
    ["a clock that is none", async () => watchPartitions(await memory(), { clock: Date } as never)],
    ["an option of heat()", async () => watchPartitions(await memory()).load({ rest: true } as never)],
  ])("%s is refused", async (_, call) => {
    await expect((async () => call())()).rejects.toMatchObject({ code: "storage.option" });
  });
});
