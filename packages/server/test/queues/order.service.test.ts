import { openStorage } from "@partita/core";
import { openQueues, type QueueStorage, tableQueues } from "@partita/queues";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type QueueServer, startQueueServer } from "../../src/index.ts";
import { type FaultyStorage, type ManualClock, manualClock, withFaults } from "@partita/testing";
import { queueOf } from "./queue-client.ts";

const second = 1000;
const numbers = Array.from({ length: 24 }, (_, i) => String(i + 1));

let clock: ManualClock;
let watched: FaultyStorage;
let server: QueueServer;
let queues: QueueStorage;
beforeEach(async () => {
  clock = manualClock();
  watched = withFaults(await openStorage("memory:", { clock }), () => undefined);
  server = await startQueueServer({ clock, storage: watched });
  queues = await openQueues(server.connectionString);
  await queues.createQueue("orders");
});
afterEach(async () => {
  await queues.close();
  await server.close();
});

const receiveTexts = async (max = 1, visibilityMs = 60 * second): Promise<string[]> =>
  (await queues.receive("orders", { max, visibilityMs })).map(({ text }) => text);

describe("one consumer receives messages in the order in which they become visible", () => {
  test.each([1, 2, 5, 32])("%s at a time", async (max) => {
    for (const text of numbers) await queues.put("orders", text);
    const received: string[] = [];
    for (let some = await receiveTexts(max); some.length > 0; some = await receiveTexts(max))
      received.push(...some);

    expect(received).toEqual(numbers);
  });

  test("as they are peeked at", async () => {
    for (const text of numbers) await queues.put("orders", text);

    expect((await queues.peek("orders", { max: 32 })).map(({ text }) => text)).toEqual(numbers);
  });

  test("by their time where they were put for later, or come back", async () => {
    await queues.put("orders", "third", { visibleAfterMs: 3 * second });
    await queues.put("orders", "second", { visibleAfterMs: 2 * second });
    await queues.put("orders", "first");
    expect(await receiveTexts(1, second)).toEqual(["first"]);
    await queues.put("orders", "zeroth");
    clock.advance(5 * second);

    expect(await receiveTexts(32)).toEqual(["zeroth", "first", "second", "third"]);
  });

  test("with Microsoft's client", async () => {
    const client = queueOf(server, "orders");
    for (const text of numbers) await client.sendMessage(text);
    const received: string[] = [];
    for (;;) {
      const { receivedMessageItems } = await client.receiveMessages({ numberOfMessages: 4 });
      for (const { messageId, popReceipt, messageText } of receivedMessageItems) {
        received.push(messageText);
        await client.deleteMessage(messageId, popReceipt);
      }
      if (receivedMessageItems.length === 0) break;
    }

    expect(received).toEqual(numbers);
  });
});

test("a receive reads the queue's row, and then is a query and a transaction, or a query that finds nothing", async () => {
  await queues.put("orders", "only");
  const requestsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
    const from = watched.requests.length;
    await work();
    return watched.requests.slice(from).map(({ type }) => type);
  };

  expect(await requestsOf(() => receiveTexts())).toEqual(["get", "query", "transact"]);
  expect(await requestsOf(() => receiveTexts())).toEqual(["get", "query"]);
});

test("a queue that a program spread over partitions keeps them: its messages come in no promised order", async () => {
  await tableQueues(watched, { clock, shards: 4 }).createQueue("spread");
  for (const text of numbers) await queues.put("spread", text);
  const received = await queues.receive("spread", { max: 32, visibilityMs: second });

  expect(received.map(({ text }) => text).toSorted()).toEqual(numbers.toSorted());
});
