import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { openStorage, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { tableQueues } from "@partita/queues";
import { withFaults } from "@partita/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type RunningServer, startQueueServer, startTableServer } from "../../src/index.ts";
import { Health } from "../../src/http/health.ts";

let storage: TableStorage;
beforeEach(async () => {
  storage = await openStorage("memory:");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await storage.close();
});

const health = async (
  { port }: RunningServer,
  init: RequestInit = {},
): Promise<readonly [number, string]> => {
  const response = await fetch(`http://127.0.0.1:${port}/health`, init);
  return [response.status, await response.text()];
};
const ok = [200, '{"status":"ok"}'];
const unavailable = [503, '{"status":"unavailable"}'];

/** A storage whose reads fail, or never end. */
const broken = (read: () => Promise<never>): TableStorage => forwardStorage(storage, { get: read });

describe.each([
  ["tables", (served: TableStorage) => startTableServer({ storage: served })],
  ["queues", (served: TableStorage) => startQueueServer({ storage: served })],
])("a server of %s", (_name, start) => {
  test("is healthy without a key, before and after anything is stored", async () => {
    await using server = await start(storage);
    expect(await health(server)).toEqual(ok);
    await storage.createTable("PartitaServerSettings");
    expect(await health(server)).toEqual(ok);
    expect(await health(server, { method: "HEAD" })).toEqual([200, ""]);
  });

  test("is not healthy while its storage fails, and says nothing about it", async () => {
    let isBroken = true;
    const served = forwardStorage(storage, {
      get: (...call) => (isBroken ? Promise.reject(new Error("secret")) : storage.get(...call)),
    });
    await using server = await start(served);
    expect(await health(server)).toEqual(unavailable);
    isBroken = false;
    expect(await health(server)).toEqual(ok);
  });

  test("answers a load balancer that names no host, and no other request without a key", async () => {
    await using server = await start(storage);
    const socket = connect(server.port, "127.0.0.1");
    socket.write("GET /health HTTP/1.0\r\n\r\n");
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [^]*\{"status":"ok"\}$/);
    expect((await health(server, { method: "POST" }))[0]).toBe(403);
    for (const path of ["/health/", "/health?x=1", "/healthy", "/"])
      expect((await fetch(`http://127.0.0.1:${server.port}${path}`)).status).not.toBe(200);
  });
});

test("an account may be called health: its requests have a query", async () => {
  await using server = await startTableServer({ storage, account: "health" });
  await using client = await openStorage(server.connectionString);
  await client.createTable("Things");
  expect(await client.listTables()).toEqual(["Things"]);
  expect(await health(server)).toEqual(ok);
});

test("queues of another store are looked at too", async () => {
  let isBroken = false;
  const queues = withFaults(tableQueues(storage), () => (isBroken ? "error" : undefined));
  await using server = await startQueueServer({ queues });
  expect(await health(server)).toEqual(ok);
  isBroken = true;
  expect(await health(server)).toEqual(unavailable);
});

test("many checks at once cost one read", async () => {
  const ends: (() => void)[] = [];
  const checked = new Health(() => new Promise<void>((resolve) => ends.push(resolve)));
  const responses = Array.from({ length: 100 }, () => checked.response());
  expect(ends).toHaveLength(1);
  ends[0]?.();

  expect(new Set((await Promise.all(responses)).map(({ status }) => status))).toEqual(new Set([200]));
  void checked.response();
  expect(ends).toHaveLength(2);
});

test("a storage that does not respond within seconds is not healthy, and the next check asks it again", async () => {
  const abort = new AbortController();
  const limit = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    expect(ms).toBeLessThanOrEqual(5_000);
    return abort.signal;
  });
  await using server = await startTableServer({ storage: broken(() => new Promise<never>(() => undefined)) });
  const response = health(server);
  await expect.poll(() => limit).toHaveBeenCalled();
  abort.abort();
  expect(await response).toEqual(unavailable);
});
