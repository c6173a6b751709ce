import { openStorage, type TableStorage } from "@partita/core";
import { type QueueStorage, tableQueues, type TableQueueOptions } from "@partita/core/queues";
import { type ManualClock, manualClock, randomNumbers, withFaults } from "@partita/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const second = 1000;
const day = 24 * 60 * 60 * second;

let clock: ManualClock;
let storage: TableStorage;
let queues: QueueStorage;
const open = (options: TableQueueOptions = {}): QueueStorage =>
  tableQueues(storage, { clock, random: randomNumbers(1), ...options });

beforeEach(async () => {
  clock = manualClock(Date.UTC(2026, 0, 1));
  storage = await openStorage("memory:", { clock });
  queues = open();
  await queues.createQueue("orders");
});
afterEach(() => storage.close());

const takeAll = async (visibilityMs = second): Promise<readonly string[]> => {
  const found = await queues.receive("orders", { max: 32, visibilityMs });
  return found.map(({ text }) => text).toSorted();
};

describe("a queue's own row", () => {
  test("is read once in ten seconds, however much is put", async () => {
    const watched = withFaults(storage, () => undefined);
    const reads = (): number => watched.requests.filter(({ type }) => type === "get").length;
    const counted = tableQueues(watched, { clock });
    for (let i = 0; i < 5; i++) await counted.put("orders", "x");
    expect(reads()).toBe(1);

    clock.advance(10 * second);
    await counted.put("orders", "x");
    expect(reads()).toBe(2);
  });
});

test("a whole receive of the largest messages fits into one transaction", async () => {
  queues = open({ shards: 1 });
  await queues.createQueue("large");
  const text = "x".repeat(queues.maxTextBytes);
  for (let i = 0; i < 32; i++) await queues.put("large", text);

  const found = await queues.receive("large", { max: 32, visibilityMs: second });

  expect(found.length).toBe(32);
  expect(found.every((message) => message.text === text)).toBe(true);
});

test("takes from every shard until it has enough", async () => {
  for (let i = 0; i < 20; i++) await queues.put("orders", `${i}`);
  expect((await takeAll()).length).toBe(20);
  expect(await takeAll()).toEqual([]);
  clock.advance(second);
  expect((await takeAll()).length).toBe(20);
  clock.advance(8 * day);
  expect((await takeAll()).length).toBe(0);
});
