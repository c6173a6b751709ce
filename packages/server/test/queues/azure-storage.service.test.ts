import "../util-extend.ts";
import azure from "azure-storage";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type QueueServer, startQueueServer } from "../../src/index.ts";

// Microsoft's older client signs with Shared Key in an older version, and writes XML of its own. Its methods are chosen by
// name here: they take a callback at the end.
type Callback = (error: (Error & { code?: string; statusCode?: number }) | null, result: unknown) => void;

let server: QueueServer;
let client: azure.QueueService;
beforeAll(async () => {
  server = await startQueueServer();
  client = azure
    .createQueueService(server.connectionString)
    .withFilter(new azure.ExponentialRetryPolicyFilter(0));
  client.messageEncoder = new azure.QueueMessageEncoder.TextXmlQueueMessageEncoder();
  await call("createQueue", "orders", { metadata: { colour: "red" } });
});
afterAll(() => server.close());

function call(method: string, ...values: readonly unknown[]): Promise<unknown> {
  const methods = client as unknown as Record<string, (...values: readonly unknown[]) => void>;
  return new Promise((resolve, reject) => {
    const done: Callback = (error, result) => (error === null ? resolve(result) : reject(error));
    methods[method]?.call(client, ...values, done);
  });
}

interface Message {
  readonly messageId: string;
  readonly popReceipt: string;
  readonly messageText: string;
  readonly dequeueCount: number;
}

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable("expected a rejection"),
    (error: { code?: string }) => error.code,
  );

test("messages are put, peeked at, received, updated, removed and cleared", async () => {
  await call("createMessage", "orders", "a <b> & c", { visibilityTimeout: 0, messageTimeToLive: 60 });
  expect(await call("peekMessage", "orders")).toMatchObject({ messageText: "a <b> & c" });

  const held = (await call("getMessage", "orders", { visibilityTimeout: 60 })) as Message;
  expect(held).toMatchObject({ messageText: "a <b> & c", dequeueCount: 1 });
  const { messageId, popReceipt } = held;
  const updated = (await call("updateMessage", "orders", messageId, popReceipt, 60, {
    messageText: "d",
  })) as Message;
  expect(await codeOf(call("deleteMessage", "orders", messageId, popReceipt))).toBe("PopReceiptMismatch");
  await call("deleteMessage", "orders", messageId, updated.popReceipt);
  expect(await codeOf(call("deleteMessage", "orders", messageId, updated.popReceipt))).toBe(
    "MessageNotFound",
  );

  await call("createMessage", "orders", "e");
  await call("clearMessages", "orders");
  expect(await call("getMessages", "orders", { numOfMessages: 32 })).toEqual([]);
});

test("queues have metadata and a count, and are listed and deleted", async () => {
  await call("createMessage", "orders", "e");
  expect(await call("getQueueMetadata", "orders")).toMatchObject({
    approximateMessageCount: 1,
    metadata: { colour: "red" },
  });
  await call("setQueueMetadata", "orders", { shape: "round" });
  const listed = await call("listQueuesSegmented", null, { include: "metadata" });
  expect(listed).toMatchObject({ entries: [{ name: "orders", metadata: { shape: "round" } }] });
  expect(await call("createQueueIfNotExists", "orders")).toMatchObject({ created: false });
  expect(await call("doesQueueExist", "missing")).toMatchObject({ exists: false });
  expect(await call("deleteQueueIfExists", "missing")).toBe(false);
});

test("policies and service properties are set and read", async () => {
  const AccessPolicy = { Permissions: "r", Expiry: new Date("2999-01-01") };
  await call("setQueueAcl", "orders", { readers: AccessPolicy });
  expect(await call("getQueueAcl", "orders")).toMatchObject({
    signedIdentifiers: { readers: { Permissions: "r" } },
  });
  // Its types ask for permissions and times, which the policy has.
  const ofPolicy = { Id: "readers" } as azure.common.SharedAccessPolicy;
  const sas = client.generateSharedAccessSignature("orders", ofPolicy);
  const host = new URL(server.url);
  const reader = azure.createQueueServiceWithSas({ primaryHost: host.href }, sas);
  const peeked = await new Promise((resolve, reject) =>
    reader.peekMessages("orders", (error: Error | null, result: unknown) =>
      error === null ? resolve(result) : reject(error),
    ),
  );
  expect(peeked).toHaveLength(1);

  const properties = (await call("getServiceProperties")) as { Logging: { Read: boolean } };
  await call("setServiceProperties", { ...properties, Logging: { ...properties.Logging, Read: true } });
  expect(await call("getServiceProperties")).toMatchObject({ Logging: { Read: true } });
});
