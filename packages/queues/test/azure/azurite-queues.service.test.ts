import { QueueClient, QueueServiceClient, StorageSharedKeyCredential } from "@azure/storage-queue";
import { queueRequestSigner } from "@partita/core/internal/azure";
import { emulatorAccount } from "@partita/core/rest";
import { accountSas } from "@partita/account";
import { type Azurite, startAzuriteQueues } from "@partita/test-support/azurite";
import { describeQueues } from "@partita/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  isMessageLost,
  openQueues,
  type OpenQueuesOptions,
  queueSas,
  type QueueSasOptions,
  type QueueStorage,
} from "../../src/index.ts";

let azurite: Azurite;
const opened: QueueStorage[] = [];
beforeAll(async () => {
  azurite = await startAzuriteQueues();
});
afterAll(async () => {
  for (const queues of opened) await queues.close();
  await azurite.stop();
});

const at = async (target: string, options?: OpenQueuesOptions): Promise<QueueStorage> => {
  const queues = await openQueues(target, options);
  opened.push(queues);
  return queues;
};
let count = 0;
const newQueue = async (queues: QueueStorage): Promise<string> => {
  const queue = `queue-${++count}`;
  await queues.createQueue(queue);
  return queue;
};
const soon = (): Date => new Date(Date.now() + 600_000);

for (const messageEncoding of ["base64", "text"] as const)
  describeQueues({
    name: `Azurite, with messages in ${messageEncoding},`,
    open: () => openQueues(azurite.connectionString, { messageEncoding }),
    prefix: `${messageEncoding}-`,
    // Cases wait for the service's clock, each with a queue of its own.
    runner: { describe, test: test.concurrent, skip: test.skip, beforeAll, afterAll },
  });

describe.each(["base64", "text"] as const)("messages in %s", (messageEncoding) => {
  test("texts of every kind come back as they were put, and by update", async () => {
    const queues = await at(azurite.connectionString, { messageEncoding });
    const queue = await newQueue(queues);
    const texts = [
      "hello",
      "",
      "  two ",
      "\n",
      "a\rb\r\nc",
      "<&>\"']]>",
      "😀\u0085\u2028",
      "&#x7;",
      "007",
      "true",
    ];
    // Azurite decodes each part of a request as it comes, which may cut a character of two bytes: these stand in the first.
    texts.push("&".repeat(queues.maxTextBytes), "é".repeat(64) + "x".repeat(queues.maxTextBytes - 128));
    if (messageEncoding === "base64") texts.push("\u0000\u0007\uffff", "\ufeffmark");

    for (const text of texts) {
      await queues.put(queue, text);
      const [message] = await queues.receive(queue, { visibilityMs: 60_000 });
      if (message === undefined) throw new Error("Nothing was received.");
      expect(message.text).toBe(text);
      const changed = `${text.replace(/^./u, "")}!`;
      const renewed = await queues.update(queue, message, { visibilityMs: 0, text: changed });
      const [again] = await queues.peek(queue);
      expect(again).toMatchObject({ id: message.id, text: changed, deliveries: 1 });
      expect(again).not.toHaveProperty("isMalformed");
      await queues.remove(queue, renewed);
    }
  });
});

test("milliseconds are rounded up to seconds, and a message is not gone before it is visible", async () => {
  const queues = await at(azurite.connectionString);
  const queue = await newQueue(queues);

  const sent = await queues.put(queue, "a", { visibleAfterMs: 1001, timeToLiveMs: 1002 });
  const forever = await queues.put(queue, "b", { timeToLiveMs: "never" });
  const longest = await queues.put(queue, "c", { timeToLiveMs: Number.MAX_SAFE_INTEGER });

  const secondsOf = ({ insertedAt }: { insertedAt: Date }, date: Date | undefined): number =>
    ((date?.getTime() ?? Number.NaN) - insertedAt.getTime()) / 1000;
  expect(secondsOf(sent, sent.visibleAt)).toBe(2);
  expect(secondsOf(sent, sent.expiresAt)).toBe(3);
  expect(forever).not.toHaveProperty("expiresAt");
  expect(secondsOf(longest, longest.expiresAt)).toBe(2 ** 31 - 1);
});

test("every page of a long list of queues is read, in order", async () => {
  const queues = await at(azurite.connectionString);
  const service = QueueServiceClient.fromConnectionString(azurite.connectionString);
  await service.createQueue("with-metadata", { metadata: { owner: "other" } });
  const queue = await newQueue(queues);
  // It exists, with metadata that this program did not give it.
  await queues.createQueue("with-metadata");

  const names = await queues.listQueues();

  expect(names).toContain(queue);
  expect(names).toContain("with-metadata");
  expect(names).toEqual(names.toSorted());
});

describe("@azure/storage-queue and openQueues", () => {
  const clientOf = (queue: string): QueueClient => new QueueClient(azurite.connectionString, queue);

  test("it reads what we put, and we read what it puts", async () => {
    const queues = await at(azurite.connectionString, { messageEncoding: "text" });
    const queue = await newQueue(queues);
    const text = '<a b="1">&amp; é😀 \t\n</a>';
    await queues.put(queue, text);

    const { receivedMessageItems } = await clientOf(queue).receiveMessages({ visibilityTimeout: 60 });
    await clientOf(queue).sendMessage(text);
    const [message] = await queues.receive(queue, { visibilityMs: 60_000 });

    expect(receivedMessageItems.map(({ messageText }) => messageText)).toEqual([text]);
    expect(message?.text).toBe(text);
  });

  test("base64 that it sends is read, and text that it sends is marked beside the rest of the batch", async () => {
    const queues = await at(azurite.connectionString);
    const queue = await newQueue(queues);
    const client = clientOf(queue);
    await client.sendMessage(Buffer.from("hello é").toString("base64"));
    await client.sendMessage("plain text");
    await client.sendMessage(Buffer.from([0xff]).toString("base64"));
    await queues.put(queue, "ours");

    const messages = await queues.receive(queue, { max: 32, visibilityMs: 60_000 });

    const shown = messages.map(({ text, isMalformed }) => ({ text, isMalformed }));
    expect(shown).toHaveLength(4);
    expect(shown).toContainEqual({ text: "hello é", isMalformed: undefined });
    expect(shown).toContainEqual({ text: "plain text", isMalformed: true });
    expect(shown).toContainEqual({ text: "/w==", isMalformed: true });
    expect(shown).toContainEqual({ text: "ours", isMalformed: undefined });
    const { peekedMessageItems } = await client.peekMessages();
    expect(peekedMessageItems).toHaveLength(0);
  });

  test("a receipt that one was given is shown by the other", async () => {
    const queues = await at(azurite.connectionString);
    const queue = await newQueue(queues);
    const client = clientOf(queue);
    await queues.put(queue, "a");
    const [ours] = await queues.receive(queue, { visibilityMs: 60_000 });
    if (ours === undefined) throw new Error("Nothing was received.");

    const { popReceipt = "" } = await client.updateMessage(ours.id, ours.receipt, undefined, 60);

    await expect(queues.remove(queue, ours)).rejects.toSatisfy(isMessageLost);
    await queues.remove(queue, { id: ours.id, receipt: popReceipt });
    expect(await queues.approximateCount(queue)).toBe(0);
  });

  test("both sign a request with the same text", async () => {
    const queues = await at(azurite.connectionString);
    const queue = await newQueue(queues);
    const { accountName, accountKey } = emulatorAccount;
    const credential = new StorageSharedKeyCredential(accountName, accountKey);
    const sign = queueRequestSigner(accountName, Buffer.from(accountKey, "base64"));
    const theirs: unknown[] = [];
    const ours: unknown[] = [];
    const client = new QueueClient(`${azurite.endpoint}/${queue}`, credential, {
      httpClient: {
        async sendRequest(request) {
          const headers = request.headers.toJson();
          const url = new URL(request.url);
          const body = request.body as string | undefined;
          const authorization = sign({
            method: request.method,
            path: url.pathname,
            contentType: headers["content-type"] ?? "",
            date: headers["x-ms-date"] ?? "",
            headers,
            query: url.search.slice(1),
            ...(body !== undefined && { body }),
          });
          ours.push([request.method, authorization]);
          theirs.push([request.method, headers["authorization"]]);
          return { request, headers: request.headers, status: 500 };
        },
      },
      retryOptions: { maxTries: 1 },
    });

    await client.sendMessage("<é>", { messageTimeToLive: -1, visibilityTimeout: 3 }).catch(() => undefined);
    await client.receiveMessages({ numberOfMessages: 32 }).catch(() => undefined);
    await client.updateMessage("id 1", "AgAA+/==", "text", 5).catch(() => undefined);
    await client.deleteMessage("id-1", "AgAA+/==").catch(() => undefined);
    await client.getProperties().catch(() => undefined);
    await client.create({ metadata: { owner: "me" } }).catch(() => undefined);

    expect(ours).toHaveLength(6);
    expect(ours).toEqual(theirs);
  });
});

describe("shared access signatures", () => {
  const sasOf = (queue: string, options: Partial<QueueSasOptions>): string =>
    queueSas(emulatorAccount, { queue, expiresAt: soon(), protocol: "https,http", ...options });
  const withSas = (sas: string): Promise<QueueStorage> =>
    at(`QueueEndpoint=${azurite.endpoint};SharedAccessSignature=${sas}`);

  test("one for a queue lets through what it permits, and nothing else", async () => {
    const owner = await at(azurite.connectionString);
    const [queue, other] = [await newQueue(owner), await newQueue(owner)];
    const producer = await withSas(sasOf(queue, { permissions: "a" }));
    const consumer = await withSas(sasOf(queue, { permissions: "rup" }));

    await producer.put(queue, "a");
    await expect(producer.receive(queue, { visibilityMs: 1000 })).rejects.toMatchObject({ status: 403 });
    await expect(producer.put(other, "a")).rejects.toMatchObject({ status: 403, applied: "no" });
    await expect(consumer.put(queue, "a")).rejects.toMatchObject({ status: 403 });
    const [message] = await consumer.receive(queue, { visibilityMs: 60_000 });
    if (message === undefined) throw new Error("Nothing was received.");
    await consumer.remove(queue, await consumer.update(queue, message, { visibilityMs: 60_000 }));
    expect(await consumer.approximateCount(queue)).toBe(0);
  });

  test("one by a stored policy is good while the policy is", async () => {
    const owner = await at(azurite.connectionString);
    const queue = await newQueue(owner);
    const client = new QueueClient(azurite.connectionString, queue);
    const accessPolicy = { startsOn: new Date(Date.now() - 60_000), expiresOn: soon(), permissions: "a" };
    await client.setAccessPolicy([{ id: "producers", accessPolicy }]);
    const producer = await withSas(
      queueSas(emulatorAccount, { queue, policy: "producers", protocol: "https,http" }),
    );

    await producer.put(queue, "a");
    await client.setAccessPolicy([]);

    await expect(producer.put(queue, "a")).rejects.toMatchObject({ status: 403 });
  });

  test("one for an account's queues makes and deletes them; one for its tables does not", async () => {
    const options = { permissions: "rwdlacup", expiresAt: soon(), protocol: "https,http" } as const;
    const queues = await withSas(accountSas(emulatorAccount, { ...options, services: "q" }));
    const queue = await newQueue(queues);
    await queues.put(queue, "a");
    expect(await queues.listQueues()).toContain(queue);
    await queues.clear(queue);
    await queues.deleteQueue(queue);

    const tables = await withSas(accountSas(emulatorAccount, options));
    await expect(tables.listQueues()).rejects.toMatchObject({ status: 403 });
  });

  test("those of @azure/storage-queue are taken", async () => {
    const owner = await at(azurite.connectionString);
    const queue = await newQueue(owner);
    const credential = new StorageSharedKeyCredential(
      emulatorAccount.accountName,
      emulatorAccount.accountKey,
    );
    const client = new QueueClient(`${azurite.endpoint}/${queue}`, credential);
    const { QueueSASPermissions, SASProtocol } = await import("@azure/storage-queue");
    const url = client.generateSasUrl({
      permissions: QueueSASPermissions.parse("raup"),
      expiresOn: soon(),
      protocol: SASProtocol.HttpsAndHttp,
    });

    const queues = await withSas(new URL(url).search);
    await queues.put(queue, "a");
    expect(await queues.peek(queue)).toMatchObject([{ text: "a", deliveries: 0 }]);
  });
});
