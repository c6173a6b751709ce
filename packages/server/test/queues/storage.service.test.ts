import { openStorage } from "@partita/core";
import { tableQueues } from "@partita/queues";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startQueueServer, startTableServer } from "../../src/index.ts";
import { type Fault, type FaultedQueueRequest, withFaults } from "@partita/testing";
import { serveQueues, services } from "../balanced.ts";
import { clientOf, queueAsker, queueOf, refusal } from "./queue-client.ts";

// What a queue server keeps where, and how its requests are made to fail.

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

test("queues, messages and settings of a file are there when the server starts again", async () => {
  const file = folder.file("queues.db");
  {
    await using storage = await openStorage(`file:${file}`);
    await using server = await startQueueServer({ storage });
    const queue = queueOf(server, "orders");
    await queue.create({ metadata: { a: "1" } });
    await queue.sendMessage("kept");
    await queue.setAccessPolicy([
      { id: "p", accessPolicy: { permissions: "r", expiresOn: new Date("2999-01-01") } },
    ]);
    await clientOf(server).setProperties({ cors: [], hourMetrics: { version: "1.0", enabled: false } });
  }

  await using storage = await openStorage(`file:${file}`);
  await using server = await startQueueServer({ storage });
  const queue = queueOf(server, "orders");
  expect((await queue.getProperties()).metadata).toEqual({ a: "1" });
  expect((await queue.getAccessPolicy()).signedIdentifiers).toHaveLength(1);
  expect((await queue.peekMessages()).peekedMessageItems).toMatchObject([{ messageText: "kept" }]);
});

test("a table server and a queue server share a storage, each with its own settings", async () => {
  await using storage = await openStorage("memory:");
  await using tables = await startTableServer({ storage });
  await using server = await startQueueServer({ storage });
  const queue = queueOf(server, "orders");
  await queue.create({ metadata: { a: "1" } });
  await queue.setAccessPolicy([{ id: "p", accessPolicy: { permissions: "raup" } }]);
  await clientOf(server).setProperties({
    cors: [],
    hourMetrics: { version: "1.0", enabled: true, includeAPIs: true },
  });

  await using served = await openStorage(tables.connectionString);
  expect(await served.listTables()).toEqual(["PartitaQueues"]);
  await using again = await startTableServer({ storage });
  expect(again.port).toBeGreaterThan(0);
  // Queues in a served table are the same ones.
  await using mine = tableQueues(served);
  await mine.put("orders", "by way of tables");
  expect((await queue.peekMessages()).peekedMessageItems).toMatchObject([
    { messageText: "by way of tables" },
  ]);
});

test("what was set for a queue that was deleted without the server is not its successor's", async () => {
  await using storage = await openStorage("memory:");
  await using stored = tableQueues(storage);
  await using server = await startQueueServer({ storage, queues: stored });
  const queue = queueOf(server, "orders");
  await queue.create({ metadata: { a: "1" } });
  await queue.setAccessPolicy([{ id: "p", accessPolicy: { permissions: "r" } }]);
  await stored.deleteQueue("orders");
  await queue.create();

  expect((await queue.getProperties()).metadata ?? {}).toEqual({});
  expect((await queue.getAccessPolicy()).signedIdentifiers).toEqual([]);
});

test.each(services)(
  "$name: many creations at once make one queue, with the metadata of one",
  async ({ servers }) => {
    await using server = await serveQueues(servers, {});
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) => queueOf(server, "orders").create({ metadata: { a: String(i) } })),
    );

    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const winner = results.findIndex(({ status }) => status === "fulfilled");
    expect((await queueOf(server, "orders").getProperties()).metadata).toEqual({ a: String(winner) });
  },
);

test("metadata that another program damaged is reported to its reader, and can be replaced", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("PartitaServerSettings");
  const entity = {
    PartitionKey: "queue-metadata",
    RowKey: "orders",
    Document: "<Metadata><a>b\n</a></Metadata>",
  };
  await storage.write("PartitaServerSettings", { type: "insert", entity });
  await using server = await startQueueServer({ storage });
  await tableQueues(storage).createQueue("orders");

  const { status, text } = await queueAsker(server)("/orders?comp=metadata");
  expect([status, text]).toEqual([
    500,
    expect.stringMatching(/PartitaServerSettings has other contents.*Copy/),
  ]);
  await queueOf(server, "orders").setMetadata({ a: "1" });
  expect((await queueOf(server, "orders").getProperties()).metadata).toEqual({ a: "1" });
});

test.each([
  [{ queues: {} }, /queues/],
  [{ port: 70_000 }, /port/],
  [{ pageSize: 10 }, /pageSize/],
  [{ host: "0.0.0.0" }, /startQueueServer\({ host: "0\.0\.0\.0" }\) can be reached/],
  [{ tls: { cert: "x", key: "y" } }, /startQueueServer\({ tls }\) needs a certificate/],
])("options that are not legal are refused: %j", async (options, message) => {
  await expect(startQueueServer(options as object)).rejects.toThrow(message);
});

describe("with faults", () => {
  /** What a client sees of a request that fails so, and whether it was carried out. */
  async function failing(fault: Fault): Promise<readonly [seen: unknown, messages: number]> {
    await using server = await startQueueServer();
    const queue = queueOf(server, "orders");
    await queue.create();
    const log = withFaults(server, ({ type }) => (type === "put" ? fault : undefined));
    const seen = await queue
      .sendMessage("x")
      .catch((error: { statusCode?: number; code?: string }) => error.statusCode ?? error.code);
    await log.settle();
    expect(log.requests.map(({ type, queue: name }) => `${type} ${name}`)).toEqual(["put orders"]);
    return [seen, (await queue.getProperties()).approximateMessagesCount ?? -1];
  }

  test.each([
    ["error-before", 500, 0],
    ["error-after", 500, 1],
    ["busy-before", 503, 0],
    ["throttled-after", 429, 1],
    ["bad-gateway-after", 502, 1],
    ["busy-late", 503, 1],
  ] as const)("%s is answered with %i, and leaves %i messages", async (fault, status, count) => {
    expect(await failing(fault)).toEqual([status, count]);
  });

  test.each([
    ["refused", 0],
    ["reset-before", 0],
    ["reset-after", 1],
    ["crash-after", 1],
    ["truncated-after", 1],
  ] as const)("%s ends the connection, and leaves %i messages", async (fault, count) => {
    const [seen, messages] = await failing(fault);
    expect(seen).not.toEqual(expect.any(Number));
    expect(messages).toBe(count);
  });

  test("a refusal is in the service's form", async () => {
    await using server = await startQueueServer();
    withFaults(server, () => "busy");
    const { status, code, text } = await queueAsker(server)("/?comp=list");
    expect([status, code]).toEqual([503, "ServerBusy"]);
    expect(text).toContain("<Error><Code>ServerBusy</Code>");
  });

  test("settings never fail as planned", async () => {
    await using server = await startQueueServer();
    withFaults(server, () => "error");
    await clientOf(server).getProperties();
    expect(await refusal(queueOf(server, "orders").create())).toEqual([500, "InternalError"]);
  });
});

test("queues of any store fail as planned, before and after", async () => {
  await using storage = await openStorage("memory:");
  const planned: FaultedQueueRequest[] = [];
  const queues = withFaults(tableQueues(storage), (request) => {
    planned.push(request);
    return request.type === "put" && request.number < 4
      ? request.number === 2
        ? "reset"
        : "reset-after"
      : undefined;
  });
  await queues.createQueue("orders");
  await expect(queues.put("orders", "lost")).rejects.toMatchObject({ applied: "maybe" });
  await expect(queues.put("orders", "stored")).rejects.toMatchObject({ applied: "maybe" });
  await queues.put("orders", "stored, too");

  expect((await queues.peek("orders", { max: 32 })).map(({ text }) => text).toSorted()).toEqual([
    "stored",
    "stored, too",
  ]);
  expect(planned.map(({ type }) => type)).toEqual(["createQueue", "put", "put", "put", "peek"]);
  expect(queues.requests).toHaveLength(5);
});
