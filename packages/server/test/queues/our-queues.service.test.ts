import { openStorage } from "@partita/core";
import { isMessageLost, openQueues, type QueueStorage, tableQueues } from "@partita/queues";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type QueueServer, startQueueServer } from "../../src/index.ts";
import { describeQueues, manualClock, withFaults } from "@partita/testing";
import { clientOf, queueOf } from "./queue-client.ts";

// Our own client of the queue service, against the server.

const runner = { describe, test, skip: test.skip, beforeAll, afterAll };
const clock = manualClock();
let server: QueueServer | undefined;
afterAll(() => server?.close());

describeQueues({
  name: "The queue server",
  async open() {
    server = await startQueueServer({ clock });
    return openQueues(server.connectionString, { messageEncoding: "text" });
  },
  advance: (ms) => clock.advance(ms),
  runner,
});

let base64Server: QueueServer | undefined;
afterAll(() => base64Server?.close());
describeQueues({
  name: "The queue server, with texts in base64",
  async open() {
    base64Server = await startQueueServer({ clock });
    return openQueues(base64Server.connectionString);
  },
  advance: (ms) => clock.advance(ms),
  runner,
});

describe("messages of others", () => {
  let own: QueueServer;
  let queues: QueueStorage;
  beforeAll(async () => {
    own = await startQueueServer();
    queues = await openQueues(own.connectionString);
    await queues.createQueue("orders");
  });
  afterAll(async () => {
    await queues.close();
    await own.close();
  });

  test("Microsoft's client reads ours in base64, and we read its", async () => {
    const client = queueOf(own, "orders");
    const sent = await queues.put("orders", 'ours: <é> "😀" \u0007');
    const [received] = (await client.receiveMessages()).receivedMessageItems;
    expect(received?.messageId).toBe(sent.id);
    expect(Buffer.from(received?.messageText ?? "", "base64").toString()).toBe('ours: <é> "😀" \u0007');
    await client.deleteMessage(sent.id, received?.popReceipt as string);

    const theirs = await client.sendMessage(Buffer.from("theirs").toString("base64"));
    const [message] = await queues.receive("orders", { visibilityMs: 60_000 });
    expect(message).toMatchObject({ id: theirs.messageId, text: "theirs", deliveries: 1 });
    const held = message as NonNullable<typeof message>;
    const renewed = await queues.update("orders", held, { visibilityMs: 60_000, text: "changed" });
    const lost = await queues.remove("orders", held).catch((error: unknown) => isMessageLost(error));
    expect(lost).toBe(true);
    await queues.remove("orders", renewed);
    expect(await queues.approximateCount("orders")).toBe(0);
  });

  test("a text that is no base64 is shown as it is", async () => {
    await queueOf(own, "orders").sendMessage("plain <text>");

    const [message] = await queues.receive("orders", { visibilityMs: 1000 });
    expect(message).toMatchObject({ text: "plain <text>", isMalformed: true });
    await queues.clear("orders");
  });

  test("lists of many pages are read to their end", async () => {
    const names = Array.from({ length: 30 }, (_, i) => `listed-${String(i).padStart(2, "0")}`);
    for (const name of names) await clientOf(own).createQueue(name);

    expect((await queues.listQueues()).filter((name) => name.startsWith("listed-"))).toEqual(names);
  });
});

test("a put whose answer is lost is in doubt, and one that never arrived is not applied", async () => {
  await using storage = await openStorage("memory:");
  await using own = await startQueueServer({ storage });
  await using queues = await openQueues(own.connectionString);
  await queues.createQueue("orders");
  for (const [fault, applied, count] of [
    ["reset-after", "maybe", 1],
    ["busy-before", "maybe", 1],
    ["truncated-after", "maybe", 2],
  ] as const) {
    withFaults(own, () => fault);
    await expect(queues.put("orders", "x")).rejects.toMatchObject({ applied });
    withFaults(own, () => undefined);
    expect(await tableQueues(storage).approximateCount("orders")).toBe(count);
  }
});
