import { openStorage, type TableStorage } from "@partita/core";
import { type QueueStorage, tableQueues } from "@partita/queues";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { QueueClient, QueueServiceClient } from "@azure/storage-queue";
import { manualClock, type ManualClock } from "@partita/testing";
import { type Served, serveQueues, services } from "../balanced.ts";
import { clientOf, collect, refusal } from "./queue-client.ts";

// Microsoft's client of the queue service, against the server.

describe.each(services)("$name", ({ servers }) => {
  let clock: ManualClock;
  let storage: TableStorage;
  let stored: QueueStorage;
  let server: Served;
  let service: QueueServiceClient;
  beforeAll(async () => {
    clock = manualClock();
    storage = await openStorage("memory:", { clock });
    stored = tableQueues(storage, { clock });
    server = await serveQueues(servers, { storage, clock });
    service = clientOf(server);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await storage.close();
  });

  let count = 0;
  let queue: QueueClient;
  beforeEach(async () => {
    queue = service.getQueueClient(`orders-${++count}`);
    await queue.create();
  });

  const textsOf = (messages: readonly { readonly messageText: string }[]): string[] =>
    messages.map(({ messageText }) => messageText).toSorted((a, b) => (a < b ? -1 : 1));

  test("a message is put, peeked at, received, updated and deleted", async () => {
    const sent = await queue.sendMessage("first");
    const { peekedMessageItems } = await queue.peekMessages();
    expect(peekedMessageItems).toMatchObject([
      { messageId: sent.messageId, messageText: "first", dequeueCount: 0, expiresOn: sent.expiresOn },
    ]);

    const {
      receivedMessageItems: [received],
    } = await queue.receiveMessages({ visibilityTimeout: 60 });
    expect(received).toMatchObject({ messageId: sent.messageId, messageText: "first", dequeueCount: 1 });
    expect(received?.nextVisibleOn).toEqual(new Date(Math.floor(clock.now() / 1000) * 1000 + 60_000));
    expect((await queue.receiveMessages()).receivedMessageItems).toEqual([]);
    expect((await queue.peekMessages()).peekedMessageItems).toEqual([]);

    const held = received as NonNullable<typeof received>;
    const { popReceipt, nextVisibleOn } = await queue.updateMessage(
      held.messageId,
      held.popReceipt,
      "second",
      0,
    );
    expect(nextVisibleOn).toEqual(new Date(Math.floor(clock.now() / 1000) * 1000));
    expect(await refusal(queue.deleteMessage(held.messageId, held.popReceipt))).toEqual([
      400,
      "PopReceiptMismatch",
    ]);
    await queue.deleteMessage(held.messageId, popReceipt as string);
    expect(await refusal(queue.deleteMessage(held.messageId, popReceipt as string))).toEqual([
      404,
      "MessageNotFound",
    ]);
  });

  test("an update without a text leaves it as it is", async () => {
    const { messageId, popReceipt } = await queue.sendMessage("as it is");
    await queue.updateMessage(messageId, popReceipt, undefined, 0);

    expect(textsOf((await queue.peekMessages()).peekedMessageItems)).toEqual(["as it is"]);
  });

  test("a message that nobody removes is received again, and counted", async () => {
    await queue.sendMessage("again");
    await queue.receiveMessages({ visibilityTimeout: 10 });
    clock.advance(10_001);

    const { receivedMessageItems } = await queue.receiveMessages();
    expect(receivedMessageItems).toMatchObject([{ messageText: "again", dequeueCount: 2 }]);
  });

  test("a message may be invisible first, and expires or never does", async () => {
    const late = await queue.sendMessage("late", { visibilityTimeout: 5 });
    await queue.sendMessage("short", { messageTimeToLive: 2 });
    const forever = await queue.sendMessage("forever", { messageTimeToLive: -1 });
    expect(late.nextVisibleOn.getTime() - late.insertedOn.getTime()).toBe(5000);
    expect(forever.expiresOn).toEqual(new Date("9999-12-31T23:59:59Z"));
    expect(textsOf((await queue.peekMessages({ numberOfMessages: 32 })).peekedMessageItems)).toEqual([
      "forever",
      "short",
    ]);

    clock.advance(5001);
    expect(textsOf((await queue.peekMessages({ numberOfMessages: 32 })).peekedMessageItems)).toEqual([
      "forever",
      "late",
    ]);
  });

  test("32 messages are received at once, and all are cleared", async () => {
    await Promise.all(Array.from({ length: 40 }, (_, i) => queue.sendMessage(`message ${i}`)));
    const { receivedMessageItems } = await queue.receiveMessages({ numberOfMessages: 32 });
    expect(new Set(receivedMessageItems.map(({ messageId }) => messageId)).size).toBe(32);
    expect((await queue.getProperties()).approximateMessagesCount).toBe(40);

    await queue.clearMessages();
    expect((await queue.getProperties()).approximateMessagesCount).toBe(0);
  });

  test.each([
    ["markup", `<a b="c">&amp;]]></a> 'x'`],
    ["space", "  \t two \n lines  "],
    ["only space", "   "],
    ["nothing", ""],
    ["many languages", "Größe 大小 размер 😀 \u{10ffff}"],
    ["JSON", '{"partita":1,"task":"ship"}'],
    ["controls that XML has", "\u0085\u009f\u2028\u007f"],
    ["64 KiB", "x".repeat(65_536)],
    ["64 KiB of markup", "<".repeat(65_536)],
  ])("a text of %s is carried as it is", async (_what, text) => {
    await queue.sendMessage(text);

    expect((await queue.peekMessages()).peekedMessageItems).toMatchObject([{ messageText: text }]);
    expect(await stored.peek(queue.name)).toMatchObject([{ text }]);
  });

  test("a text of more than 64 KiB is refused", async () => {
    expect(await refusal(queue.sendMessage("x".repeat(65_537)))).toEqual([413, "RequestBodyTooLarge"]);
    expect(await refusal(queue.sendMessage("ü".repeat(32_769)))).toEqual([413, "RequestBodyTooLarge"]);
    expect(await stored.approximateCount(queue.name)).toBe(0);
  });

  test("a text that another program stored does not make the queue unreadable", async () => {
    await stored.put(queue.name, "bell \u0007 and \ufffe");

    expect(textsOf((await queue.receiveMessages()).receivedMessageItems)).toEqual(["bell \ufffd and \ufffd"]);
  });

  test("queues are created once, with metadata, and deleted", async () => {
    const other = service.getQueueClient("metadata");
    await other.create({ metadata: { colour: "red", Size: "7" } });
    await other.create({ metadata: { size: "7", COLOUR: "red" } });
    expect(await refusal(other.create({ metadata: { colour: "blue" } }))).toEqual([
      409,
      "QueueAlreadyExists",
    ]);
    expect((await other.createIfNotExists()).errorCode).toBe("QueueAlreadyExists");
    expect((await other.getProperties()).metadata).toEqual({ colour: "red", size: "7" });

    await other.setMetadata({ shape: "round <&>" });
    expect((await other.getProperties()).metadata).toEqual({ shape: "round <&>" });
    const listed = await collect(service.listQueues({ prefix: "metadata", includeMetadata: true }));
    expect(listed).toEqual([{ name: "metadata", metadata: { shape: "round <&>" } }]);

    await other.delete();
    expect(await refusal(other.getProperties())).toMatchObject([404, expect.anything()]);
    expect(await refusal(other.setMetadata({}))).toEqual([404, "QueueNotFound"]);
    expect(await refusal(other.delete())).toEqual([404, "QueueNotFound"]);
    expect(await refusal(other.sendMessage("x"))).toEqual([404, "QueueNotFound"]);
    expect(await refusal(other.receiveMessages())).toEqual([404, "QueueNotFound"]);
    await other.create();
    expect((await other.getProperties()).metadata ?? {}).toEqual({});
    await other.delete();
  });

  test("queues are listed by prefix, page by page", async () => {
    const names = Array.from({ length: 7 }, (_, i) => `paged-${i}`);
    await Promise.all(names.map((name) => service.createQueue(name)));

    const pages: string[][] = [];
    const all = service.listQueues({ prefix: "paged-" }).byPage({ maxPageSize: 3 });
    for await (const { queueItems = [] } of all) pages.push(queueItems.map(({ name }) => name));
    expect(pages).toEqual([names.slice(0, 3), names.slice(3, 6), names.slice(6)]);
    expect(await collect(service.listQueues({ prefix: "none" }))).toEqual([]);
  });

  test("access policies are set, read and removed with their queue", async () => {
    const expiresOn = new Date("2999-01-01T00:00:00Z");
    await queue.setAccessPolicy([
      { id: "workers", accessPolicy: { permissions: "rp", startsOn: new Date("2020-01-01"), expiresOn } },
      { id: "empty", accessPolicy: {} },
    ]);
    expect((await queue.getAccessPolicy()).signedIdentifiers).toMatchObject([
      { id: "workers", accessPolicy: { permissions: "rp", expiresOn } },
      { id: "empty" },
    ]);

    await queue.delete();
    expect(await refusal(queue.getAccessPolicy())).toEqual([404, "QueueNotFound"]);
    await queue.create();
    expect((await queue.getAccessPolicy()).signedIdentifiers).toEqual([]);
  });

  test("service properties are set section by section, and statistics come from the secondary", async () => {
    const retentionPolicy = { enabled: true, days: 3 };
    await service.setProperties({
      queueAnalyticsLogging: {
        version: "1.0",
        deleteProperty: true,
        read: false,
        write: true,
        retentionPolicy,
      },
    });
    await service.setProperties({
      cors: [
        {
          allowedOrigins: "https://a.example",
          allowedMethods: "GET",
          allowedHeaders: "*",
          exposedHeaders: "*",
          maxAgeInSeconds: 60,
        },
      ],
    });
    const { queueAnalyticsLogging, cors } = await service.getProperties();
    expect(queueAnalyticsLogging).toMatchObject({ deleteProperty: true, write: true, retentionPolicy });
    expect(cors).toMatchObject([{ allowedOrigins: "https://a.example" }]);

    expect(await refusal(service.getStatistics())).toEqual([400, "InvalidQueryParameterValue"]);
    const secondary = clientOf({ ...server, url: `${server.url}-secondary` });
    // The client looks for another root than the service's StorageServiceStats, and finds nothing in it.
    const { _response: statistics } = await secondary.getStatistics();
    expect(statistics.bodyAsText).toMatch(/<GeoReplication><Status>live<\/Status><LastSyncTime>.+ GMT</);
    const copy = secondary.getQueueClient(queue.name);
    expect((await copy.peekMessages()).peekedMessageItems).toEqual([]);
    for (const write of [copy.receiveMessages(), copy.sendMessage("x"), copy.delete()])
      expect(await refusal(write)).toEqual([403, "InsufficientAccountPermissions"]);
  });

  test("our queues and the client read each other's messages", async () => {
    const mine = await stored.put(queue.name, "ours");
    await queue.sendMessage("theirs");

    const received = (await queue.receiveMessages({ numberOfMessages: 32 })).receivedMessageItems;
    expect(textsOf(received)).toEqual(["ours", "theirs"]);
    expect(received.map(({ messageId }) => messageId)).toContain(mine.id);
    clock.advance(30_001);
    const again = await stored.receive(queue.name, { max: 32, visibilityMs: 1000 });
    expect(
      again
        .map(({ text, deliveries }) => [text, deliveries])
        .toSorted(([a], [b]) => ((a ?? "") < (b ?? "") ? -1 : 1)),
    ).toEqual([
      ["ours", 2],
      ["theirs", 2],
    ]);
  });
});
