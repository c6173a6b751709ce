import { tracingChannel } from "node:diagnostics_channel";
import { expect, test } from "vitest";
import { openStorage } from "@partita/core";
import { tableQueues } from "../../src/index.ts";

test("requests of queues are published while somebody listens, without texts and receipts", async () => {
  await using storage = await openStorage("memory:");
  await using queues = tableQueues(storage);
  const begun: object[] = [];
  const ended: unknown[] = [];
  const failed: unknown[] = [];
  const subscribers = {
    start: (event: object) => void begun.push({ ...event }),
    end: () => undefined,
    asyncStart: () => undefined,
    asyncEnd: (event: object) => void ended.push(event),
    error: (event: object) => void failed.push(event),
  };
  const channel = tracingChannel("partita:queue");
  await queues.createQueue("orders");

  channel.subscribe(subscribers);
  try {
    await queues.put("orders", "secret text", { attempt: 2 });
    const [message] = await queues.receive("orders", { visibilityMs: 1000 });
    if (message === undefined) throw new Error("Nothing was received.");
    const renewed = await queues.update("orders", message, { visibilityMs: 1000, text: "secret text 2" });
    await queues.remove("orders", renewed);
    await queues.peek("orders");
    await queues.approximateCount("orders");
    await queues.clear("orders");
    await queues.listQueues();
    await queues.deleteQueue("orders");
    await expect(queues.put("orders", "secret text")).rejects.toMatchObject({
      code: "storage.queue-not-found",
    });
  } finally {
    channel.unsubscribe(subscribers);
  }
  await queues.createQueue("unseen");

  const { description } = queues;
  const about = (type: string, attempt = 1): object => ({
    type,
    queue: "orders",
    attempt,
    storage: description,
  });
  expect(begun).toEqual([
    about("put", 2),
    ...["receive", "update", "remove", "peek", "approximateCount", "clear"].map((type) => about(type)),
    { type: "listQueues", attempt: 1, storage: description },
    about("deleteQueue"),
    about("put"),
  ]);
  expect(ended).toHaveLength(begun.length);
  expect(failed).toHaveLength(1);
  expect(JSON.stringify(ended)).not.toMatch(/secret text|receipt/);
});
