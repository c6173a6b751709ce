import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Agent, type IncomingMessage, request } from "node:http";
import { openStorage, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { TableClient } from "@azure/data-tables";
import { roundRobin } from "@partita/test-support/round-robin";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { startTableServer, type TableServer } from "../../src/index.ts";
import { fullSas } from "../ask.ts";

let storage: TableStorage;
let server: TableServer;
/** Ends the reads of the row "held", which wait for it. */
let endHeld: () => void;
/** Keys of the rows that were read. */
let reads: string[];
beforeEach(async () => {
  storage = await openStorage("memory:");
  await storage.createTable("Things");
  for (const rowKey of ["held", "small"])
    await storage.write("Things", {
      type: "insert",
      entity: { PartitionKey: "p", RowKey: rowKey, Text: rowKey },
    });
  const held = new Promise<void>((resolve) => (endHeld = resolve));
  reads = [];
  const served = forwardStorage(storage, {
    get: async (table, key, options) => {
      if (table === "Things") reads.push(key.rowKey);
      if (key.rowKey === "held") await held;
      return storage.get(table, key, options);
    },
  });
  server = await startTableServer({ storage: served });
});
afterEach(async () => {
  endHeld();
  await server.close();
  await storage.close();
});

const pathOf = (rowKey: string): string =>
  `/${server.account}/Things(PartitionKey='p',RowKey='${rowKey}')?${fullSas(server)}`;
const headOf = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAccept: application/json\r\n\r\n`;

async function open(): Promise<Socket> {
  const socket = connect(server.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** All bytes that come until the connection ends. */
const restOf = async (socket: Socket): Promise<string> => Buffer.concat(await socket.toArray()).toString();
const chunkOf = async (socket: Socket): Promise<string> => String((await once(socket, "data"))[0]);

/** One request of a client that keeps its connections. */
async function ask(agent: Agent, rowKey: string): Promise<IncomingMessage> {
  const sent = request({ host: "127.0.0.1", port: server.port, path: pathOf(rowKey), agent });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return response;
}

describe("a drain", () => {
  test("is said by /health, accepts requests for a time, and ends each connection with its response", async () => {
    const agent = new Agent({ keepAlive: true });
    expect((await ask(agent, "small")).headers.connection).toBe("keep-alive");
    const drained = server.drain({ acceptMs: 60_000 });

    const health = await fetch(`http://127.0.0.1:${server.port}/health`);
    expect([health.status, await health.text()]).toEqual([503, '{"status":"draining"}']);
    for (let i = 0; i < 3; i++) {
      const response = await ask(agent, "small");
      expect([response.statusCode, response.headers.connection]).toEqual([200, "close"]);
    }
    await server.close();
    await drained;
  });

  test("closes connections without a request, and finishes a request that takes longer", async () => {
    const [idle, busy] = [await open(), await open()];
    idle.write(headOf(pathOf("small")));
    await chunkOf(idle);
    busy.write(headOf(pathOf("held")));
    await expect.poll(() => reads).toContain("held");
    const drained = server.drain();

    await once(idle, "close");
    const refused = once(connect(server.port, "127.0.0.1"), "connect");
    await expect(refused).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(busy.closed).toBe(false);
    endHeld();
    expect(await restOf(busy)).toMatch(/^HTTP\/1\.1 200 [^]*Connection: close\r\n[^]*"Text":"held"\}$/i);
    await drained;
  });

  test("sends large responses completely, however slowly their client reads", async () => {
    await storage.transact(
      "Things",
      Array.from({ length: 100 }, (_, i) => ({
        type: "insert" as const,
        entity: { PartitionKey: "long", RowKey: String(i), Text: "x".repeat(30_000) },
      })),
    );
    const path = `/${server.account}/Things()?$filter=PartitionKey%20eq%20'long'&$top=100&${fullSas(server)}`;
    const count = 8;
    const socket = await open();
    let reached = 0;
    server.wrapStorage((tables) =>
      forwardStorage(tables, {
        query: async (...call) => {
          const page = await tables.query(...call);
          reached += page.entities.length;
          return page;
        },
      }),
    );
    socket.write(headOf(path).repeat(count));
    // The server has made all responses, more than fit into the buffers of a connection.
    await expect.poll(() => reached).toBe(count * 100);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const drained = server.drain();
    const response = await restOf(socket);

    expect(response.match(/HTTP\/1\.1 200 /g)).toHaveLength(count);
    expect(response.match(/"RowKey":"99",[^}]*\}\]\}/g)).toHaveLength(count);
    await drained;
  });

  test("answers all requests that a client sent one after the other on a connection", async () => {
    const socket = await open();
    socket.write(headOf(pathOf("held")).repeat(3));
    await expect.poll(() => reads).toEqual(["held", "held", "held"]);
    const drained = server.drain();
    endHeld();

    const text = await restOf(socket);
    expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(3);
    expect(text.match(/Connection: close/gi)).toHaveLength(1);
    await drained;
  });

  test("waits for no request longer than its limit", async () => {
    const socket = await open();
    socket.write(headOf(pathOf("held")));
    await expect.poll(() => reads).toContain("held");
    const ended = once(socket, "close");
    await server.drain({ finishMs: 10 });
    await ended;
  });

  test.each([{ acceptMs: -1 }, { acceptMs: 1.5 }, { finishMs: 600_001 }, { drainMs: 5 }])(
    "takes no other options, such as %j",
    async (options) => {
      await expect(server.drain(options)).rejects.toMatchObject({ code: "server.option" });
      expect((await fetch(`http://127.0.0.1:${server.port}/health`)).status).toBe(200);
    },
  );
});

test("no request of many clients fails while one of two servers with one file drains", async () => {
  await using folder = await temporaryFolder();
  await using one = await openStorage(`file:${folder.file("tables.db")}`);
  await using other = await openStorage(`file:${folder.file("tables.db")}`);
  const leaving = await startTableServer({ storage: one });
  await using staying = await startTableServer({ storage: other, key: leaving.key });
  const servers = [leaving, staying];
  // As a load balancer looks at its servers.
  let available = servers.map(({ port }) => port);
  const look = async (): Promise<void> => {
    const found = servers.map(async ({ port }) => {
      const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
      await response?.text();
      return response?.status === 200 ? [port] : [];
    });
    available = (await Promise.all(found)).flat();
    if (!isOver) setTimeout(() => void look(), 20);
  };
  const { port, requests } = await roundRobin(() => available, onTestFinished);
  const connectionString = leaving.connectionString.replace(`:${leaving.port}/`, `:${port}/`);
  const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
  const clients = Array.from({ length: 16 }, () =>
    TableClient.fromConnectionString(connectionString, "Things", options),
  );
  await clients[0]?.createTable();
  let isOver = false;
  void look();

  let written = 0;
  const work = Promise.allSettled(
    clients.map(async (client, partition) => {
      for (let n = 0; !isOver; n++) {
        await client.createEntity({ partitionKey: String(partition), rowKey: String(n) });
        await client.getEntity(String(partition), String(n));
        written++;
      }
    }),
  );
  const until = (isReached: () => boolean): Promise<void> => expect.poll(isReached).toBe(true);
  await until(() => servers.every((running) => (requests.get(running.port) ?? 0) > 50));
  await leaving.drain({ acceptMs: 300 });
  const before = written;
  await until(() => written > before + 50);
  isOver = true;

  expect((await work).filter(({ status }) => status === "rejected")).toEqual([]);
  let stored = 0;
  for await (const page of clients[0]?.listEntities().byPage() ?? []) stored += page.length;
  expect(stored).toBe(written);
});
