import {
  createTables,
  defineEntity,
  int32,
  StorageError,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { fixed } from "@partita/core/rest";
import { type QueueStorage, tableQueues } from "@partita/queues";
import { type VirtualClock, virtualClock } from "@partita/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { defineTask, outbox } from "../../src/index.ts";
import { type SmallWorker, takeOne } from "./small-worker.ts";

class Order extends defineEntity({
  table: "ShopOrders",
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: { state: text().optional(), total: int32().default(0) },
  outbox: true,
}) {}

interface Parcel {
  readonly order: string;
  readonly note?: string;
}

const ship = defineTask("ship", async (_payload: Parcel) => undefined, { queue: "ship", attempts: 2 });

const hourMs = 3_600_000;

/** What is promised of messages that go with a save, over any storage, and queues in a table of it. */
export function outboxCases(storageOf: () => TableStorage): void {
  let storage: TableStorage;
  let clock: VirtualClock;
  let queues: QueueStorage;
  let queueTable: string;
  let shop: string;
  let handled: [id: string, payload: unknown][];
  let poisoned: string[];
  let worker: SmallWorker;
  let opened = 0;

  beforeEach(async () => {
    storage = storageOf();
    await createTables(storage, [Order]);
    clock = virtualClock(1_700_000_000_000);
    queueTable = `Queues${process.pid}n${opened}`;
    queues = tableQueues(storage, { clock, shards: 1, table: queueTable });
    shop = `shop ${process.pid} ${opened++}`;
    [handled, poisoned] = [[], []];
    worker = {
      storage,
      queues,
      clock,
      maxAttempts: 2,
      handle: (id, payload) => void handled.push([id, payload]),
      poison: ({ text: whole = "" }) => void poisoned.push(whole),
    };
  });

  const contextOf = (over: TableStorage = storage): TableContext =>
    new TableContext(over, { clock, retry: fixed(1, 0) });
  const orderOf = (id = "1"): Order => new Order({ shop, id });
  const take = (): Promise<boolean> => takeOne(worker, "ship");
  /** Takes all there are, and again whenever time has passed until one is visible. */
  const drain = async (): Promise<void> => {
    for (const ms of [0, 90_000, hourMs, 90_000, hourMs]) {
      clock.advance(ms);
      while (await take());
    }
  };
  const rows = async (): Promise<string[]> => {
    const found: string[] = [];
    const { entities } = await storage.query("ShopOrders", {});
    for (const { PartitionKey, RowKey, State } of entities)
      if (PartitionKey === shop && RowKey.startsWith("~o~")) found.push(String(State ?? "message"));
    return found;
  };
  const isEmpty = async (): Promise<boolean> =>
    (await rows()).length === 0 && (await queues.approximateCount("ship")) === 0;
  /** Queues of a sender that ends before it can do some of this. */
  const without = (...names: readonly ("put" | "update" | "remove")[]): QueueStorage => {
    const fail = (): Promise<never> =>
      Promise.reject(new StorageError("storage.timeout", "No answer.", { applied: "maybe" }));
    return { ...bound(queues), ...Object.fromEntries(names.map((name) => [name, fail])) };
  };

  /** A save of one order with one message. */
  async function sent(payload: Parcel = { order: "1" }, over: QueueStorage = queues): Promise<string> {
    await using context = contextOf();
    const order = context.add(orderOf());
    const { id } = outbox(context, over).send(order, ship, payload);
    await context.saveChanges();
    return id;
  }

  test("a message is handled with its payload and id, at once, and nothing is left", async () => {
    const id = await sent({ order: "1", note: "with care" });
    expect(await rows()).toEqual(["message"]);
    expect(await take()).toBe(true);

    expect(handled).toEqual([[id, { order: "1", note: "with care" }]]);
    expect(await isEmpty()).toBe(true);
  });

  test("its queue is created when it is not there, and a message without a payload is one", async () => {
    const ping = defineTask("ping", async () => undefined);
    await using context = contextOf();
    outbox(context, queues).send(context.add(orderOf()), ping, undefined, { id: "mine" });
    await context.saveChanges();

    expect(await queues.listQueues()).toEqual(["ping"]);
    await takeOne(worker, "ping");
    expect(handled).toEqual([["mine", undefined]]);
  });

  test("a message may be visible later than its save", async () => {
    await using context = contextOf();
    outbox(context, queues).send(context.add(orderOf()), ship, { order: "1" }, { visibleAfterMs: 60_000 });
    await context.saveChanges();
    expect(await take()).toBe(false);
    clock.advance(60_000);

    expect(await take()).toBe(true);
    expect(handled).toHaveLength(1);
  });

  describe("a sender that ends", () => {
    test("after its transaction: the message is found after 90 seconds, and its row shows for an hour that it was handled", async () => {
      await sent({ order: "1" }, without("update"));
      expect(await take()).toBe(false);
      clock.advance(90_000);
      await take();
      expect(handled).toHaveLength(1);
      expect(await rows()).toEqual(["written"]);
      await drain();

      expect(handled).toHaveLength(1);
      expect(await isEmpty()).toBe(true);
    });

    test("before its transaction: nothing is handled, and one that comes after all is refused", async () => {
      const late: (() => Promise<unknown>)[] = [];
      const slow: TableStorage = {
        ...bound(storage),
        async transact(table, operations) {
          late.push(() => storage.transact(table, operations));
          throw new StorageError("storage.timeout", "No answer.", { applied: "maybe" });
        },
        write: () => new Promise(() => undefined),
      };
      const context = contextOf(slow);
      outbox(context, queues).send(context.add(orderOf()), ship, { order: "1" });
      void context.saveChanges();
      while (late.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      clock.advance(90_000);
      await take();
      expect(await rows()).toEqual(["closed"]);
      await expect(late[0]?.()).rejects.toMatchObject({ serviceCode: "EntityAlreadyExists", index: 0 });
      await drain();

      expect(handled).toEqual([]);
      expect(await isEmpty()).toBe(true);
    });
  });

  test("a save that comes too late is abandoned, and the next one sends its message", async () => {
    await using context = contextOf({
      ...bound(storage),
      async transact(table, operations) {
        if (clock.now() === 1_700_000_000_000) {
          clock.advance(90_000);
          await take();
        }
        return storage.transact(table, operations);
      },
    });
    const { id } = outbox(context, queues).send(context.add(orderOf()), ship, { order: "1" });
    await expect(context.saveChanges()).rejects.toMatchObject({
      results: [{ outcome: "rejected", error: { code: "outbox.abandoned" } }],
    });
    await context.saveChanges();
    await drain();

    expect(handled).toEqual([[id, { order: "1" }]]);
    expect(await isEmpty()).toBe(true);
  });

  test("a refused save takes its message back", async () => {
    await sent();
    await take();
    await using context = contextOf();
    outbox(context, queues).send(context.add(orderOf()), ship, { order: "again" });
    await expect(context.saveChanges()).rejects.toMatchObject({ conflicts: [{ operation: "insert" }] });

    expect(await isEmpty()).toBe(true);
  });

  test("while the queue cannot be reached, nothing of a save is sent", async () => {
    await using context = contextOf();
    context.add(orderOf("other"));
    outbox(context, without("put")).send(context.add(orderOf()), ship, { order: "1" });
    await expect(context.saveChanges()).rejects.toMatchObject({
      results: [{ aborted: true }, { outcome: "rejected", error: { code: "outbox.queue-unreachable" } }],
    });
    context.clear({ discard: true });

    expect(await context.query(Order).where({ shop }).toArray()).toEqual([]);
  });

  describe("a handler that fails", () => {
    const failing = (): void => {
      worker = { ...worker, handle: () => Promise.reject(new Error("No stamps.")) };
    };
    const deliverAll = async (): Promise<void> => {
      for (let n = 0; n < 3; n++) {
        await take();
        clock.advance(30_000);
      }
    };

    test("has its attempts; then the whole message is in the poison queue, and its row is gone", async () => {
      const id = await sent({ order: "1", note: "Ω".repeat(40_000) });
      failing();
      await deliverAll();

      expect(poisoned.map((whole) => JSON.parse(whole) as unknown)).toEqual([
        { partita: 1, task: "ship", id, payload: { order: "1", note: "Ω".repeat(40_000) } },
      ]);
      expect(await isEmpty()).toBe(true);
    });

    test("of a sender that ended: its row shows for an hour that there is no message any more", async () => {
      await sent({ order: "1" }, without("update"));
      failing();
      clock.advance(90_000);
      await deliverAll();
      expect(poisoned).toHaveLength(1);
      expect(await rows()).toEqual(["written"]);
      await drain();

      expect(await isEmpty()).toBe(true);
    });
  });

  test("a row that somebody else has spoilt stays, and the poison queue gets what points to it", async () => {
    await sent();
    const { entities } = await storage.query("ShopOrders", {});
    const row = entities.find(
      ({ PartitionKey, RowKey }) => PartitionKey === shop && RowKey.startsWith("~o~"),
    );
    await storage.write("ShopOrders", {
      type: "merge",
      entity: { PartitionKey: shop, RowKey: row?.RowKey ?? "", Payload: "{" },
      etag: "*",
    });
    for (let n = 0; n < 2; n++) {
      await take();
      clock.advance(30_000);
    }

    expect(poisoned).toEqual([""]);
    expect(handled).toEqual([]);
    expect(await rows()).toEqual(["message"]);
  });

  test("of a pointer that was put twice, one is enough", async () => {
    let isFirst = true;
    const put: QueueStorage["put"] = async (...args) => {
      const message = await queues.put(...args);
      if (!isFirst) return message;
      isFirst = false;
      throw new StorageError("storage.timeout", "No answer.", { applied: "maybe" });
    };
    await queues.createQueue("ship");
    await using context = new TableContext(storage, { clock, retry: fixed(2, 0) });
    const box = outbox(context, { ...without("update"), put });
    box.send(context.add(orderOf()), ship, { order: "1" });
    await context.saveChanges();
    expect(await queues.approximateCount("ship")).toBe(2);
    clock.advance(90_000);
    // Both are delivered while the message is there.
    worker = { ...worker, handle: async (id, payload) => void (handled.push([id, payload]), await take()) };
    await take();
    worker = { ...worker, handle: (id, payload) => void handled.push([id, payload]) };
    await drain();

    expect(handled).toHaveLength(1);
    expect(await isEmpty()).toBe(true);
  });

  describe("a pointer that is removed before its message is stored", () => {
    /** Does something between the announcement and the transaction. */
    const sentAfter = async (meanwhile: () => Promise<unknown>): Promise<void> => {
      const slow = {
        ...bound(storage),
        transact: async (...args: Parameters<TableStorage["transact"]>) => {
          await meanwhile();
          return storage.transact(...args);
        },
      };
      await using context = contextOf(slow);
      outbox(context, queues).send(context.add(orderOf()), ship, { order: "1" });
      await context.saveChanges();
    };

    test.each(["clear", "deleteQueue"] as const)("by %s: it is put again", async (empty) => {
      await sentAfter(() => queues[empty]("ship"));
      expect(await take()).toBe(true);

      expect(handled).toHaveLength(1);
      expect(await isEmpty()).toBe(true);
    });

    test("by workers whose clocks are hours apart: what they closed is opened too early, and the message is found", async () => {
      await sentAfter(async () => {
        clock.advance(90_000);
        await take();
        expect(await rows()).toEqual(["closed"]);
        const ahead = virtualClock(clock.now() + 2 * hourMs);
        const others = tableQueues(storage, { clock: ahead, shards: 1, table: queueTable });
        await takeOne({ ...worker, queues: others }, "ship");
        expect(await rows()).toEqual([]);
      });
      await drain();

      expect(handled).toHaveLength(1);
      expect(await isEmpty()).toBe(true);
    });
  });

  test("a message that stands where a place was closed is handled, not removed", async () => {
    await sent();
    const [pointer] = await queues.receive("ship", { visibilityMs: 1000 });
    if (pointer === undefined) throw new Error("No pointer.");
    await queues.update("ship", pointer, {
      visibilityMs: 0,
      text: pointer.text.replace('"stored"', '"closed"'),
    });
    await take();
    expect(handled).toHaveLength(1);
    await drain();

    expect(handled).toHaveLength(1);
    expect(await isEmpty()).toBe(true);
  });

  test("two workers that hold one message end it together", async () => {
    await sent();
    worker = {
      ...worker,
      async handle(id, payload) {
        handled.push([id, payload]);
        if (handled.length > 1) return;
        clock.advance(30_000);
        await take();
      },
    };
    await take();
    await drain();

    expect(handled).toHaveLength(2);
    expect(await isEmpty()).toBe(true);
  });

  test("a large payload, with characters of two units everywhere, is given back as it was", async () => {
    const note = `x${'𝄞\\"é'.repeat(40_000)}`;
    await sent({ order: "1", note });
    await take();

    expect(handled[0]?.[1]).toEqual({ order: "1", note });
    expect(await isEmpty()).toBe(true);
  });
}

/** Its methods apart from it. */
const bound = <Store extends object>(store: Store): Store =>
  new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
    ownKeys: () => [...namesOf(store)],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  });

/** The names that an object and its class have. */
function namesOf(store: object): Set<string | symbol> {
  const names = new Set<string | symbol>();
  for (let at = store; at !== Object.prototype && at !== null; at = Object.getPrototypeOf(at) as object)
    for (const name of Reflect.ownKeys(at))
      if (name !== "constructor" && !String(name).startsWith("#")) names.add(name);
  return names;
}
