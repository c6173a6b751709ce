import { setImmediate as nextTurn } from "node:timers/promises";
import { isFull } from "@partita/test-support/effort";
import { shortWaits } from "@partita/test-support/short-waits";
import { expect, test } from "vitest";
import { faults, randomFaults, virtualClock, withFaults } from "@partita/testing";
import {
  createTables,
  defineEntity,
  defineKind,
  type EntityClass,
  int32,
  openStorage,
  StorageError,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { padded } from "@partita/core/keys";
import type { ContinuationToken, StoredEntity, StoredQuery } from "@partita/core/storage";
import { add, rename, retype, upgrades } from "@partita/core/upgrades";
import { census, type UpgradeProgress, upgradeTable } from "../../src/index.ts";

shortWaits();

const chain = upgrades({ Qty: int32() })
  .to(2, rename("Qty", "Quantity"))
  .to(
    3,
    retype("Quantity", "Amount", text(), (quantity: number) => {
      if (quantity === 13) throw new Error("unlucky");
      return `${quantity} pcs`;
    }),
  );
class Order extends defineEntity({
  table: "Orders",
  partitionKey: { shop: padded(2) },
  rowKey: { id: padded(4) },
  properties: { Amount: text() },
  version: chain,
}) {}

const total = 2500;
const rowOf = (i: number): StoredEntity => ({
  PartitionKey: String(i % 7).padStart(2, "0"),
  RowKey: String(i).padStart(4, "0"),
  ...(i % 3 === 0
    ? { Qty: i }
    : i % 3 === 1
      ? { SchemaVersion: 2, Quantity: i }
      : { SchemaVersion: 3, Amount: `${i} pcs` }),
  Extra: `extra ${i}`,
});

async function store(target = "memory:", skip = (_i: number) => false): Promise<TableStorage> {
  const storage = await openStorage(target);
  await createTables(storage, [Order]);
  const writes = Array.from({ length: total }, (_, i) => i)
    .filter((i) => !skip(i))
    .map((i) => storage.write("Orders", { type: "insert", entity: rowOf(i) }));
  await Promise.all(writes);
  return storage;
}

const isUnlucky = (i: number): boolean => i === 13;

async function contents(storage: TableStorage): Promise<unknown[]> {
  const orders = await new TableContext(storage, { mergeOption: "noTracking" }).query(Order).scan().toArray();
  return orders.map((order) => Object.assign({}, order));
}

const versions = (counts: readonly { version: unknown; count: number }[]): object =>
  Object.fromEntries(counts.map(({ version, count }) => [String(version), count]));

test("stores every row in its present version, tells how far it is, and reads the same before and after", async () => {
  await using storage = await store("memory:", isUnlucky);
  const before = await contents(storage);
  const seen: UpgradeProgress[] = [];

  const report = await upgradeTable(storage, [Order], { onProgress: (progress) => seen.push(progress) });

  expect(versions(report.before)).toEqual({ undefined: 834, 2: 832, 3: 833 });
  expect(versions(report.after)).toEqual({ 3: total - 1 });
  expect(report).toMatchObject({ table: "Orders", upgraded: 1666, changed: 0, leftCount: 0, isClean: true });
  expect(await contents(storage)).toEqual(before);
  const row = await storage.get("Orders", { partitionKey: "03", rowKey: "0003" });
  expect(row).toMatchObject({ SchemaVersion: 3, Amount: "3 pcs", Extra: "extra 3" });
  expect(row).not.toHaveProperty("Qty");
  expect([...new Set(seen.map(({ phase }) => phase))]).toEqual(["upgrade", "verify"]);
  expect(seen.at(-1)).toMatchObject({ pass: 1, total: total - 1, upgraded: 1666 });
  const upgrading = seen.filter(({ phase }) => phase === "upgrade");
  expect(upgrading.filter(({ read, upgraded }) => upgraded > read)).toEqual([]);
});

test("a second run changes nothing", async () => {
  await using storage = await store("memory:", isUnlucky);
  await upgradeTable(storage, [Order]);
  const etags = await Promise.all(
    ["0003", "0004"].map((rowKey, i) => storage.get("Orders", { partitionKey: `0${3 + i}`, rowKey })),
  );

  const report = await upgradeTable(storage, [Order]);

  expect(report).toMatchObject({ upgraded: 0, isClean: true });
  const now = await Promise.all(
    ["0003", "0004"].map((rowKey, i) => storage.get("Orders", { partitionKey: `0${3 + i}`, rowKey })),
  );
  expect(now).toEqual(etags);
});

test("a dry run says what would happen, and writes nothing", async () => {
  await using storage = await store();

  const report = await upgradeTable(storage, [Order], { dryRun: true });

  expect(report).toMatchObject({ isDryRun: true, upgraded: 1666, leftCount: 1, isClean: false });
  expect(await storage.listTables()).toEqual(["Orders"]);
  expect(versions(await census(storage, [Order]))).toEqual({ undefined: 834, 2: 833, 3: 833 });
});

test("rows that cannot be upgraded are left as they are, and reported with the reason", async () => {
  await using storage = await store();

  const report = await upgradeTable(storage, [Order]);

  expect(report).toMatchObject({ leftCount: 1, isClean: false, upgraded: 1666 });
  expect(report.left).toMatchObject([
    {
      key: { partitionKey: "06", rowKey: "0013" },
      reason: { code: "upgrade.step-failed", details: { version: 3 } },
    },
  ]);
  expect(await storage.get("Orders", { partitionKey: "06", rowKey: "0013" })).toMatchObject({ Quantity: 13 });
});

test("an old program that writes meanwhile loses nothing, and its rows are upgraded too", async () => {
  class Old extends defineEntity({
    table: "Orders",
    partitionKey: { shop: padded(2) },
    rowKey: { id: padded(4) },
    properties: { Qty: int32() },
  }) {}
  await using storage = await store("memory:", isUnlucky);
  const old = new TableContext(storage);
  let isWritten = false;

  const report = await upgradeTable(storage, [Order], {
    concurrency: 1,
    onProgress({ phase }) {
      if (phase !== "upgrade" || isWritten) return;
      isWritten = true;
      old.create(Old, { shop: 0, id: 9001, Qty: 1 });
      void old.saveChanges();
    },
  });
  await old.saveChanges();

  expect(report.isClean).toBe(true);
  expect(await storage.get("Orders", { partitionKey: "00", rowKey: "9001" })).toMatchObject({
    Amount: "1 pcs",
  });
});

test("what was stopped goes on where it was", async () => {
  await using storage = await store("memory:", isUnlucky);
  const stop = new AbortController();
  const stopped = upgradeTable(storage, [Order], {
    concurrency: 1,
    claimTimeoutMs: 1000,
    signal: stop.signal,
    onProgress: ({ upgraded }) => void (upgraded > 500 && stop.abort()),
  });
  await expect(stopped).rejects.toMatchObject({ code: "storage.cancelled" });
  const half = versions(await census(storage, [Order])) as Record<string, number>;
  expect(half["3"]).toBeGreaterThan(1300);
  expect(half["3"]).toBeLessThan(total - 1);

  const report = await upgradeTable(storage, [Order], { claimTimeoutMs: 1000 });

  expect(report.isClean).toBe(true);
  expect(report.upgraded).toBe(total - 1 - (half["3"] as number));
});

test("several workers share one job: each row is upgraded once", async () => {
  await using storage = await store("memory:", isUnlucky);
  const before = await contents(storage);
  const run = () =>
    upgradeTable(storage, [Order], { checkpoint: "shared", concurrency: 2, claimTimeoutMs: 5000 });

  const reports = await Promise.all([run(), run()]);

  expect(reports.map(({ isClean }) => isClean)).toEqual([true, true]);
  expect(reports.reduce((sum, { upgraded }) => sum + upgraded, 0)).toBe(1666);
  expect(await contents(storage)).toEqual(before);
});

test("faults on the way lose nothing, whatever they hit", async () => {
  await using inner = await store("memory:", isUnlucky);
  const before = await contents(inner);
  let n = 0;
  // Every ninth request fails, each time otherwise.
  const flaky = withFaults(inner, () => (++n % 9 === 0 ? faults[(n / 9) % (faults.length - 1)] : undefined));
  const run = () =>
    upgradeTable(flaky, [Order], { checkpoint: "flaky", concurrency: 1, claimTimeoutMs: 300 });

  const reports = await Promise.all([run(), run()]);

  expect(reports.map(({ isClean }) => isClean)).toEqual([true, true]);
  await flaky.settle();
  expect(await contents(inner)).toEqual(before);
  expect(flaky.requests.filter(({ fault }) => fault !== undefined).length).toBeGreaterThan(3);
});

test("random faults, many of them late: every row ends in its present version, whatever arrives afterwards", async () => {
  for (let seed = 1; seed <= (isFull ? 4 : 1); seed++) {
    await using inner = await store("memory:", (i) => isUnlucky(i) || i >= 300);
    const before = await contents(inner);
    const flaky = withFaults(inner, randomFaults({ seed, rate: 0.2 }));
    const upgrade = () =>
      upgradeTable(flaky, [Order], { checkpoint: "random", concurrency: 1, claimTimeoutMs: 100 });
    // How often a claim is renewed depends on the machine, and with it which request meets which fault: one may meet a
    // fault in each of its tries, which ends the call. A later call resumes it.
    const run = () =>
      upgrade().catch((error: unknown) => {
        if (error instanceof StorageError) return upgrade();
        throw error;
      });

    const reports = await Promise.all([run(), run()]);
    await flaky.settle();

    expect(reports.map(({ isClean }) => isClean)).toEqual([true, true]);
    expect(await contents(inner)).toEqual(before);
    expect(versions(await census(inner, [Order]))).toEqual({ 3: 299 });
  }
});

test("tables are created over lost answers; only what was certainly created by the call is said to be", async () => {
  await using inner = await openStorage("memory:");
  const lost = withFaults(inner, ({ number }) => (number === 1 ? "reset-after" : undefined));
  expect(await createTables(lost, [Order], { clock: virtualClock() })).toEqual([]);
  expect(await inner.listTables()).toEqual(["Orders"]);

  await inner.deleteTable("Orders");
  const unsent = withFaults(inner, ({ number }) => (number === 1 ? "refused" : undefined));
  expect(await createTables(unsent, [Order], { clock: virtualClock() })).toEqual(["Orders"]);

  await inner.deleteTable("Orders");
  const late = withFaults(inner, ({ number }) => (number === 1 ? "late" : undefined));
  expect(await createTables(late, [Order], { clock: virtualClock() })).toEqual(["Orders"]);
  await late.settle();
  expect(await inner.listTables()).toEqual(["Orders"]);
});

/** A store whose requests are looked at first. */
function watching(inner: TableStorage, look: (type: string, table: string) => void): TableStorage {
  return Object.assign(Object.create(inner) as TableStorage, {
    createTable: inner.createTable.bind(inner),
    get: inner.get.bind(inner),
    query: inner.query.bind(inner),
    write: (...args: Parameters<TableStorage["write"]>) => {
      look("write", args[0]);
      return inner.write(...args);
    },
    transact: (...args: Parameters<TableStorage["transact"]>) => {
      look("transact", args[0]);
      return inner.transact(...args);
    },
  });
}

test("a store that refuses for good ends it, and nothing goes on behind the caller's back", async () => {
  await using inner = await store("memory:", isUnlucky);
  let [requests, isBroken] = [0, false];
  const storage = watching(inner, (type, table) => {
    requests++;
    if (type === "transact" && table === "Orders") isBroken = true;
    if (isBroken && table === "Orders")
      throw new StorageError("storage.forbidden", "No.", { applied: "no", status: 403 });
  });

  await expect(upgradeTable(storage, [Order])).rejects.toMatchObject({ status: 403 });
  const before = requests;
  for (let turn = 0; turn < 100; turn++) await nextTurn();

  expect(requests).toBe(before);
});

test("claims that can never be made end it after a few tries", async () => {
  await using inner = await store("memory:", (i) => i > 20);
  let tries = 0;
  const storage = watching(inner, (type) => {
    if (type !== "transact") return;
    tries++;
    throw new StorageError("storage.server-busy", "Busy.", {
      applied: "no",
      status: 503,
      serviceCode: "ServerBusy",
    });
  });

  await expect(upgradeTable(storage, [Order], { concurrency: 1 })).rejects.toMatchObject({ status: 503 });
  expect(tries).toBeLessThanOrEqual(20);
});

test("what an aborted run leaves is taken over at once", async () => {
  await using storage = await store("memory:", isUnlucky);
  const stop = new AbortController();
  const onProgress = ({ phase }: UpgradeProgress): void => void (phase === "upgrade" && stop.abort());
  await upgradeTable(storage, [Order], { concurrency: 1, signal: stop.signal, onProgress }).catch(
    () => undefined,
  );

  // Silence would count after a minute only.
  expect((await upgradeTable(storage, [Order], { claimTimeoutMs: 60_000 })).isClean).toBe(true);
});

test("rows that the store does not take upgraded are left, with the reason", async () => {
  const growing = upgrades({ A: text() }).to(2, add("B", text(), "x".repeat(32_000)));
  class Item extends defineEntity({
    table: "Items",
    partitionKey: { p: text() },
    rowKey: { id: text() },
    properties: { A: text(), B: text() },
    version: growing,
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Item]);
  const big = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`P${i}`, "y".repeat(32_000)]));
  await storage.write("Items", {
    type: "insert",
    entity: { PartitionKey: "p", RowKey: "1", A: "a", ...big },
  });
  await storage.write("Items", { type: "insert", entity: { PartitionKey: "p", RowKey: "2", A: "a" } });

  const report = await upgradeTable(storage, [Item]);

  expect(report).toMatchObject({ upgraded: 1, leftCount: 1, isClean: false });
  expect(report.left).toMatchObject([{ key: { rowKey: "1" }, reason: { code: "storage.entity-too-large" } }]);
});

test("a store without an order is gone through by its tokens", async () => {
  await using inner = await store("memory:", isUnlucky);
  const turned = (text: string): string => Array.from(text).toReversed().join("");
  // Pages of partitions in another order than that of their keys.
  const storage = Object.assign(
    watching(inner, () => undefined),
    {
      isUnordered: true,
      async query(table: string, query: StoredQuery) {
        if (table !== "Orders") return inner.query(table, query);
        const partitions = Array.from({ length: 7 }, (_, i) => `0${i}`).toSorted((a, b) =>
          turned(a) > turned(b) ? -1 : 1,
        );
        const at = Number(query.after ?? "0");
        const filter = {
          op: "eq",
          name: "PartitionKey",
          literal: { edm: "Edm.String", value: partitions[at] as string },
        } as const;
        const { entities } = await inner.query(table, { filter });
        return { entities, ...(at < 6 && { next: String(at + 1) as ContinuationToken }) };
      },
    },
  );

  const report = await upgradeTable(storage, [Order], { concurrency: 2 });

  expect(report).toMatchObject({ isClean: true, upgraded: 1666 });
});

test("a rate keeps the next page waiting, and a signal ends the wait", async () => {
  await using storage = await store("memory:", isUnlucky);
  const stop = new AbortController();
  let upgraded = 0;
  const running = upgradeTable(storage, [Order], {
    rate: 1,
    concurrency: 1,
    signal: stop.signal,
    onProgress(progress) {
      upgraded = progress.upgraded;
      if (upgraded > 0) setImmediate(() => stop.abort());
    },
  });

  await expect(running).rejects.toMatchObject({ code: "storage.cancelled" });
  expect(upgraded).toBeLessThan(1000);
});

test.each([{ rate: 0 }, { concurrency: 1.5 }, { claimTimeoutMs: Number.NaN }, { concurrency: "2" as never }])(
  "options that mean nothing are refused: %o",
  async (options) => {
    const storage = await openStorage("memory:");
    await expect(upgradeTable(storage, [Order], options)).rejects.toMatchObject({
      code: "maintenance.option",
    });
  },
);

test("a job may have any name", async () => {
  await using storage = await store("memory:", (i) => i > 20);

  const report = await upgradeTable(storage, [Order], { checkpoint: "nightly/2026 #1?" });

  expect(report).toMatchObject({ leftCount: 1, upgraded: 13 });
});

test("classes without upgrades are refused", async () => {
  class Plain extends defineEntity({
    table: "Plain",
    partitionKey: { p: text() },
    rowKey: { r: text() },
    properties: {},
  }) {}

  await expect(upgradeTable(await openStorage("memory:"), [Plain])).rejects.toMatchObject({
    code: "model.no-upgrades",
  });
});

test("kinds have versions of their own, and others are left alone", async () => {
  class Base extends defineEntity({
    table: "Mixed",
    partitionKey: { p: text() },
    rowKey: { r: text() },
    properties: {},
  }) {}
  class A extends defineKind(Base, {
    kind: "A",
    properties: { Two: text() },
    version: upgrades({ One: text() }).to(2, rename("One", "Two")),
  }) {}
  class B extends defineKind(Base, { kind: "B", properties: { One: text() } }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Base, A, B] as EntityClass[]);
  for (const Kind of ["A", "B", "C"])
    await storage.write("Mixed", {
      type: "insert",
      entity: { PartitionKey: "p", RowKey: Kind, Kind, One: "x" },
    });

  const report = await upgradeTable(storage, [Base]);

  expect(report).toMatchObject({ upgraded: 1, isClean: true });
  expect(report.after).toEqual([
    { kind: "A", version: 2, count: 1 },
    { kind: "B", version: undefined, count: 1 },
    { kind: "C", version: undefined, count: 1 },
  ]);
  expect(await storage.get("Mixed", { partitionKey: "p", rowKey: "B" })).toMatchObject({ One: "x" });
});

test("a census tells kinds, versions and shapes", async () => {
  await using storage = await store();

  const [first] = await census(storage, [Order]);

  expect(first).toMatchObject({
    kind: undefined,
    version: undefined,
    count: 834,
    shapeCount: 1,
    shapes: [{ count: 834, properties: { Extra: "Edm.String", Qty: "Edm.Int32" } }],
  });
});
