import { openStorage, type TableStorage } from "@partita/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { manualClock } from "@partita/testing";
import { Throttle } from "../../src/tables/throttle.ts";

let storage: TableStorage;
beforeEach(async () => {
  storage = await openStorage("memory:");
  await storage.createTable("Things");
});
afterEach(() => storage.close());

const clock = manualClock(0);
const now = (): number => clock.now();
const busy = { code: "storage.server-busy", status: 503, applied: "no" };
const row = (partition: string, n: number) =>
  ({ type: "insert", entity: { PartitionKey: partition, RowKey: String(n) } }) as const;

/** Inserts that are let through, one request each, until one is refused. */
async function writeUntilRefused(throttle: Throttle, partition: string, first: number): Promise<number> {
  for (let n = first; ; n++) {
    const sent = throttle.limitRequest(storage).write("Things", row(partition, n));
    const error: unknown = await sent.then(
      () => undefined,
      (refusal: unknown) => refusal,
    );
    if (error === undefined) continue;
    expect(error).toMatchObject(busy);
    return n - first;
  }
}

test("a tenth of a second's entities come at once, and then as many as time lets in", async () => {
  const throttle = new Throttle(500, now);

  expect(await writeUntilRefused(throttle, "a", 0)).toBe(50);
  clock.advance(20);
  expect(await writeUntilRefused(throttle, "a", 100)).toBe(10);
  clock.advance(60_000);
  expect(await writeUntilRefused(throttle, "a", 200)).toBe(50);
});

test("each partition of each table has its own, and a refused write is not done", async () => {
  await storage.createTable("Others");
  const throttle = new Throttle(10, now);

  await throttle.limitRequest(storage).write("Things", row("a", 1));
  await expect(throttle.limitRequest(storage).write("THINGS", row("a", 2))).rejects.toMatchObject(busy);
  await throttle.limitRequest(storage).write("Things", row("b", 1));
  await throttle.limitRequest(storage).write("Others", row("a", 1));

  expect((await storage.query("Things", {})).entities).toHaveLength(2);
});

test("a request counts what it returns, goes on page by page, and those after it wait for what it took", async () => {
  const rows = Array.from({ length: 100 }, (_, n) => row("a", n));
  await storage.transact("Things", rows);
  const throttle = new Throttle(100, now);
  const scan = throttle.limitRequest(storage);

  const { next } = await scan.query("Things", { top: 40 });
  await scan.query("Things", { top: 40, ...(next !== undefined && { after: next }) });

  // 10 were there, 80 were taken: 70 are owed.
  clock.advance(690);
  const get = () => throttle.limitRequest(storage).get("Things", { partitionKey: "a", rowKey: "1" });
  await expect(get()).rejects.toMatchObject(busy);
  clock.advance(20);
  expect(await get()).toMatchObject({ RowKey: "1" });
});

test("a transaction counts each operation, and what a request reads of its own write counts nothing", async () => {
  const throttle = new Throttle(100, now);
  const request = throttle.limitRequest(storage);

  await request.transact("Things", [row("a", 1), row("a", 2), row("a", 3)]);
  await request.get("Things", { partitionKey: "a", rowKey: "1" });

  expect(await writeUntilRefused(throttle, "a", 10)).toBe(7);
});
