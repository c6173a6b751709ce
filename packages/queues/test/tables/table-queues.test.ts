import { openStorage, type TableStorage } from "@partita/core";
import { type QueueStorage, tableQueues, type TableQueueOptions } from "../../src/index.ts";
import {
  type FaultPlan,
  type FaultyStorage,
  type ManualClock,
  manualClock,
  randomNumbers,
  withFaults,
} from "@partita/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const second = 1000;
const day = 24 * 60 * 60 * second;
const table = "PartitaQueues";

let clock: ManualClock;
let storage: TableStorage;
let queues: QueueStorage;

/** Queues of one more program over the same store. */
const program = (over: TableStorage = storage, options: TableQueueOptions = {}): QueueStorage =>
  tableQueues(over, { clock, random: randomNumbers(1), ...options });

beforeEach(async () => {
  clock = manualClock(Date.UTC(2026, 0, 1));
  storage = await openStorage("memory:", { clock });
  queues = program();
  await queues.createQueue("orders");
});
afterEach(() => storage.close());

const textsIn = async (from: QueueStorage = queues, queue = "orders"): Promise<readonly string[]> =>
  (await from.receive(queue, { max: 32, visibilityMs: second })).map(({ text }) => text).toSorted();

const failing = (fault: FaultPlan): FaultyStorage => withFaults(storage, fault);

const count = ({ requests }: FaultyStorage, type: string): number =>
  requests.filter((request) => request.type === type).length;

const isRow = async (partitionKey: string, rowKey: string): Promise<boolean> =>
  (await storage.get(table, { partitionKey, rowKey })) !== undefined;

test.each([
  [9_999, 9_999],
  [day * 365 * 100, day * 365 * 100],
  [Number.MAX_SAFE_INTEGER, undefined],
  ["never" as const, undefined],
])("a time to live of %s ms ends after %s", async (timeToLiveMs, lives) => {
  const { expiresAt } = await queues.put("orders", "x", { timeToLiveMs });
  const [received] = await queues.receive("orders", { visibilityMs: second });

  expect(expiresAt).toEqual(lives === undefined ? undefined : new Date(clock.now() + lives));
  expect(received?.expiresAt).toEqual(expiresAt);
});

test("a missing queue is told before a receipt that no store gave", async () => {
  const message = { id: "none", receipt: "none" };
  const missing = { code: "storage.queue-not-found" };
  const foreign = { code: "queue.receipt" };

  await expect(queues.update("missing", message, { visibilityMs: 0 })).rejects.toMatchObject(missing);
  await expect(queues.remove("missing", message)).rejects.toMatchObject(missing);
  await expect(queues.update("orders", message, { visibilityMs: 0 })).rejects.toMatchObject(foreign);
  await expect(queues.remove("orders", message)).rejects.toMatchObject(foreign);
});

describe("requests", () => {
  test("the queue's own row is read once in ten seconds, however much is put", async () => {
    const watched = failing(() => undefined);
    const counted = program(watched);
    for (let i = 0; i < 5; i++) await counted.put("orders", "x");
    expect(count(watched, "get")).toBe(1);

    clock.advance(10 * second);
    await counted.put("orders", "x");
    expect(count(watched, "get")).toBe(2);
  });

  test("a message is received by one query and one transaction, and removed by one write", async () => {
    const watched = failing(() => undefined);
    const [putter, taker] = [program(storage, { random: () => 0 }), program(watched, { random: () => 0.99 })];
    for (let i = 0; i < 3; i++) await putter.put("orders", "x");
    const [message] = await taker.receive("orders", { visibilityMs: second });
    await taker.remove("orders", message!);

    expect(watched.requests.map(({ type }) => type)).toEqual(["get", "query", "transact", "write"]);
  });

  test("16 receivers of one program that begin at once get a message each, and lose no race", async () => {
    const watched = failing(() => undefined);
    const taker = program(watched);
    for (let i = 0; i < 16; i++) await queues.put("orders", `${i}`);
    await taker.peek("orders");
    const taken = await Promise.all(
      Array.from({ length: 16 }, () => taker.receive("orders", { visibilityMs: second })),
    );

    expect(new Set(taken.flat().map(({ id }) => id)).size).toBe(16);
    expect(count(watched, "transact")).toBe(16);
  });
});

describe("lost answers", () => {
  /** Lets the first request of a type fail so. */
  const once = (type: string, fault: "reset-after" | "reset-before" | "timeout-late"): FaultPlan => {
    let isDone = false;
    return (request) => (!isDone && request.type === type ? ((isDone = true), fault) : undefined);
  };

  test("a receive that was carried out returns its messages all the same", async () => {
    await queues.put("orders", "text");
    const taker = program(failing(once("transact", "reset-after")));
    const [message] = await taker.receive("orders", { visibilityMs: second });

    expect(message).toMatchObject({ text: "text", deliveries: 1 });
    await taker.remove("orders", message!);
    expect(await queues.approximateCount("orders")).toBe(0);
  });

  for (const fault of ["reset-before", "timeout-late"] as const)
    test(`a receive that is not carried out yet (${fault}) may be, and nobody has the message then`, async () => {
      await queues.put("orders", "text");
      const faulty = failing(once("transact", fault));
      const receive = program(faulty).receive("orders", { visibilityMs: second });
      await expect(receive).rejects.toMatchObject({ applied: "maybe" });
      await faulty.settle();

      clock.advance(second);
      const [message] = await queues.receive("orders", { visibilityMs: second });
      expect(message).toMatchObject({ text: "text", deliveries: fault === "timeout-late" ? 2 : 1 });
    });

  test("an update that was carried out returns the new receipt", async () => {
    const sent = await queues.put("orders", "before", { visibleAfterMs: day });
    const holder = program(failing(once("transact", "reset-after")));
    const updated = await holder.update("orders", sent, { visibilityMs: 0, text: "after" });

    await expect(queues.remove("orders", sent)).rejects.toMatchObject({
      code: "storage.pop-receipt-mismatch",
    });
    await queues.remove("orders", updated);
  });

  test("an update that is not stored is in doubt", async () => {
    const sent = await queues.put("orders", "text");
    const update = program(failing(once("transact", "reset-before"))).update("orders", sent, {
      visibilityMs: 0,
    });

    await expect(update).rejects.toMatchObject({ applied: "maybe" });
  });

  test("a put and a removal are in doubt, and a removal that is sent again finds nothing", async () => {
    const faulty = program(failing(once("write", "reset-after")));
    await expect(faulty.put("orders", "text")).rejects.toMatchObject({ applied: "maybe" });
    const [message] = await queues.receive("orders", { visibilityMs: second });

    const remover = program(failing(once("write", "reset-after")));
    await expect(remover.remove("orders", message!)).rejects.toMatchObject({ applied: "maybe" });
    await expect(remover.remove("orders", message!)).rejects.toMatchObject({
      code: "storage.message-not-found",
    });
  });

  test("what other shards gave is returned when a later one fails", async () => {
    for (let i = 0; i < 20; i++) await queues.put("orders", `${i}`);
    let transactions = 0;
    const faulty = failing(({ type }) =>
      type === "transact" && ++transactions === 2 ? "refused" : undefined,
    );
    const taken = await program(faulty).receive("orders", { max: 20, visibilityMs: second });

    expect(taken.length).toBeGreaterThan(0);
    expect(taken.length).toBeLessThan(20);
    expect((await textsIn()).length).toBe(20 - taken.length);
  });
});

test("a clear removes messages that are received while it runs", async () => {
  for (let i = 0; i < 10; i++) await queues.put("orders", `${i}`);
  let received = 0;
  const interrupted = failing(async ({ type }) => {
    if (type === "transact" && received === 0)
      received = (await queues.receive("orders", { max: 32, visibilityMs: day })).length;
    return undefined;
  });
  await program(interrupted).clear("orders");

  expect(received).toBe(10);
  expect(await queues.approximateCount("orders")).toBe(0);
});

describe("deleted queues", () => {
  test("a deletion that stopped on its way hides the queue, and goes on when it is asked for again", async () => {
    await queues.put("orders", "text");
    const stopping = program(failing(({ type }) => (type === "transact" ? "refused" : undefined)));
    await expect(stopping.deleteQueue("orders")).rejects.toMatchObject({ applied: "maybe" });

    const other = program();
    expect(await other.listQueues()).toEqual([]);
    await expect(other.put("orders", "x")).rejects.toMatchObject({ code: "storage.queue-not-found" });
    await other.deleteQueue("orders");
    await expect(other.deleteQueue("orders")).rejects.toMatchObject({ code: "storage.queue-not-found" });
  });

  test("a queue that is created over such a deletion is empty", async () => {
    await queues.put("orders", "text");
    const stopping = program(failing(({ type }) => (type === "transact" ? "refused" : undefined)));
    await stopping.deleteQueue("orders").catch(() => undefined);
    await queues.createQueue("orders");

    expect(await queues.approximateCount("orders")).toBe(0);
  });

  test("what a program puts that does not know of the deletion yet is received once the queue is created again", async () => {
    await queues.put("orders", "known for ten seconds");
    const other = program();
    await other.deleteQueue("orders");
    await queues.put("orders", "late");

    clock.advance(10 * second);
    await expect(queues.put("orders", "too late")).rejects.toMatchObject({ code: "storage.queue-not-found" });
    await other.createQueue("orders");
    expect(await textsIn(other)).toEqual(["late"]);
  });

  test("a table that somebody removed had no queues, and is created again with the next one", async () => {
    await queues.put("orders", "text");
    await storage.deleteTable(table);

    expect(await queues.listQueues()).toEqual([]);
    await expect(queues.put("orders", "x")).rejects.toMatchObject({ code: "storage.queue-not-found" });
    await expect(queues.deleteQueue("orders")).rejects.toMatchObject({ code: "storage.queue-not-found" });
    await queues.createQueue("orders");
    await queues.put("orders", "again");
    expect(await textsIn()).toEqual(["again"]);
  });

  test("a queue keeps the shards that it was created with", async () => {
    await program(storage, { shards: 9 }).createQueue("wide");
    for (let i = 0; i < 30; i++) await queues.put("wide", `${i}`);

    expect((await textsIn(program(storage, { shards: 1 }), "wide")).length).toBe(30);
  });
});

describe("clocks", () => {
  test("expired messages are removed in passing", async () => {
    const sent = await queues.put("orders", "text", { timeToLiveMs: 5 * second });
    const [shard = "", time, id] = sent.receipt.split("!");
    clock.advance(5 * second);
    expect(await textsIn()).toEqual([]);

    expect(await isRow(`orders!${shard}`, `${time}!${id}`)).toBe(false);
  });

  test("a clock that is days ahead hides messages from its program, and removes none", async () => {
    await queues.put("orders", "text");
    const ahead = program(storage, { clock: manualClock(clock.now() + 30 * day) });
    expect(await textsIn(ahead)).toEqual([]);
    expect(await ahead.peek("orders")).toEqual([]);
    expect(await ahead.approximateCount("orders")).toBe(0);

    expect(await textsIn()).toEqual(["text"]);
  });

  test("a store that does not show its clock keeps what expired for a day more", async () => {
    const blind = program({ ...failing(() => undefined), reachedTime: () => undefined });
    await queues.put("orders", "text", { timeToLiveMs: second });
    clock.advance(day);
    await textsIn(blind);
    const rows = async (): Promise<number> => (await storage.query(table, {})).entities.length;
    expect(await rows()).toBe(2);

    clock.advance(second);
    await textsIn(blind);
    expect(await rows()).toBe(1);
  });

  test("a message is visible and expires at the very millisecond", async () => {
    await queues.put("orders", "text", { visibleAfterMs: second, timeToLiveMs: 2 * second });
    clock.advance(second - 1);
    expect(await queues.peek("orders")).toEqual([]);
    clock.advance(1);
    expect((await queues.peek("orders")).length).toBe(1);
    clock.advance(second - 1);
    expect((await queues.peek("orders")).length).toBe(1);
    clock.advance(1);
    expect(await queues.peek("orders")).toEqual([]);
  });
});

describe("misuse", () => {
  test("receipts of other messages and other stores are refused", async () => {
    const [one, two] = [await queues.put("orders", "1"), await queues.put("orders", "2")];
    const receipts = [two.receipt, "AgAAAAMAAAAAAAAA", "0!1!2", `${one.receipt}!`];
    for (const receipt of receipts) {
      const message = { id: one.id, receipt };
      await expect(queues.remove("orders", message)).rejects.toMatchObject({ code: "queue.receipt" });
      const update = queues.update("orders", message, { visibilityMs: 0 });
      await expect(update).rejects.toMatchObject({ code: "queue.receipt" });
    }
    expect(await queues.approximateCount("orders")).toBe(2);
  });

  test("wrong options are refused by name", () => {
    const wrong = [
      { table: "a b" },
      { shards: 0 },
      { shards: 65 },
      { clock: 1 },
      { random: 1 },
      { shard: 4 },
    ];
    for (const options of wrong)
      expect(() => tableQueues(storage, options as TableQueueOptions)).toThrow(
        expect.objectContaining({ code: "queue.option" }),
      );
  });

  test("closed queues take no requests, and leave the storage open", async () => {
    await queues.close();

    await expect(queues.put("orders", "x")).rejects.toMatchObject({ code: "storage.closed" });
    await expect(queues.listQueues()).rejects.toMatchObject({ code: "storage.closed" });
    expect((await storage.listTables()).includes(table)).toBe(true);
  });

  test("queues of two tables are apart", async () => {
    const other = program(storage, { table: "OtherQueues" });
    await other.createQueue("others");

    expect(await other.listQueues()).toEqual(["others"]);
    expect(await queues.listQueues()).toEqual(["orders"]);
  });
});
