import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { certificate } from "@partita/test-support/certificate";
import { describe, expect, onTestFinished, test } from "vitest";
import type { OpenOptions, TableStorage } from "../../../src/index.ts";
import { answering, errorOf, insert, listen, read, storageAt, write } from "./answering-service.ts";

// What becomes of connections and requests: the same over each transport.

async function unusedPort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const channels = { undici: "undici:request:create", http: "http.client.request.start" } as const;
const empty = '{"value":[]}';

describe.each(["undici", "http"] as const)("over %s", (transport) => {
  const serve = (
    reply: (request: IncomingMessage, response: ServerResponse) => void,
    options?: OpenOptions,
  ): Promise<TableStorage> => answering(reply, { transport, ...options });

  test("requests go over the transport that was chosen", async () => {
    const storage = await serve((_request, response) => response.end(empty));
    const used: string[] = [];
    const listeners = Object.entries(channels).map(([name, channel]) => {
      const note = (): number => used.push(name);
      subscribe(channel, note);
      return () => unsubscribe(channel, note);
    });
    onTestFinished(() => listeners.forEach((stop) => stop()));

    await storage.query("Things", {});

    expect(used).toEqual([transport]);
  });

  test("a host that nobody listens on", async () => {
    const port = await unusedPort();
    const storage = await storageAt(port, { transport });

    expect(await read(storage)).toMatchObject({ code: "storage.unreachable", applied: "no" });
    expect(await write(storage)).toMatchObject({ code: "storage.unreachable", applied: "no" });
    expect((await read(storage)).message).toBe(
      `The table service at 127.0.0.1:${port} cannot be reached (ECONNREFUSED). Nothing listens at this address: start the emulator, npx azurite-table --tablePort ${port} or npx @partita/cli serve --port ${port}, or check the port.`,
    );
  });

  test("a host that does not exist", async () => {
    const storage = await storageAt("https://no-such-host.invalid", { transport });

    expect(await write(storage)).toMatchObject({
      code: "storage.unreachable",
      applied: "no",
      message: expect.stringMatching(
        /at no-such-host\.invalid:443 .*(check AccountName|check the network)/,
      ) as string,
    });
  });

  test("half an answer", async () => {
    const storage = await serve((_request, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"value":[', () => response.destroy());
    });

    expect(await read(storage)).toMatchObject({ code: "storage.truncated", applied: "no" });
    expect(await write(storage)).toMatchObject({ code: "storage.truncated", applied: "maybe" });
  });

  test("a connection that breaks before any answer", async () => {
    const storage = await serve((request) => request.socket.destroy());

    expect(await read(storage)).toMatchObject({ code: "storage.connection-lost", applied: "no" });
    expect(await write(storage)).toMatchObject({ code: "storage.connection-lost", applied: "maybe" });
  });

  test("garbage instead of HTTP", async () => {
    const server = createTcpServer((socket) =>
      socket.once("data", () => socket.end("SSH-2.0-OpenSSH_9.9\r\n\r\n")),
    );
    const storage = await storageAt(await listen(server), { transport });

    expect(await read(storage)).toMatchObject({ code: "storage.malformed-response" });
  });

  test("an answer without end is cut off at its limit", async () => {
    let sent = 0;
    const storage = await serve((_request, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(1024 * 1024, 0x20);
      const pump = (): void => {
        while (!response.destroyed && sent < 2 ** 31 && response.write(chunk)) sent += chunk.length;
        if (!response.destroyed) response.once("drain", pump);
      };
      pump();
    });

    expect(await read(storage)).toMatchObject({ code: "storage.response-too-large", applied: "no" });
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test("no answer at all, and an answer byte by byte, end at the time limit", async () => {
    const silent = await serve(() => undefined, { timeouts: { readMs: 100, writeMs: 150 } });
    const dripping = await serve(
      (_request, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(" "), 10);
        response.on("close", () => clearInterval(timer));
      },
      { timeouts: { readMs: 100 } },
    );

    expect(await read(silent)).toMatchObject({ code: "storage.timeout", applied: "no", message: /100 ms/ });
    expect(await write(silent)).toMatchObject({
      code: "storage.timeout",
      applied: "maybe",
      message: /150 ms/,
    });
    expect(await read(dripping)).toMatchObject({ code: "storage.timeout" });
  });

  test("a cancelled request, before and after it was sent", async () => {
    const controller = new AbortController();
    const storage = await serve(() => controller.abort());

    expect(await errorOf(storage.write("Things", insert(), { signal: controller.signal }))).toMatchObject({
      code: "storage.cancelled",
      applied: "maybe",
    });
    expect(await errorOf(storage.write("Things", insert(), { signal: AbortSignal.abort() }))).toMatchObject({
      code: "storage.cancelled",
      applied: "no",
    });
  });

  test.each([301, 302, 303, 307, 308])("a redirect with status %d is not followed", async (status) => {
    let visits = 0;
    const other = await listen(createServer((_request, response) => (visits++, response.end())));
    const storage = await serve((_request, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${other}/` }).end(),
    );

    expect(await read(storage)).toMatchObject({ code: "storage.redirect-refused", status });
    expect(await write(storage)).toMatchObject({ code: "storage.redirect-refused", applied: "no" });
    expect(visits).toBe(0);
  });

  test("an error's answer is no longer than an error's", async () => {
    const storage = await serve((_request, response) => response.writeHead(403).end("x".repeat(100_000)));

    expect(await read(storage)).toMatchObject({ code: "storage.response-too-large" });
  });

  test("a connection is used again, and 64 at most are open at once", async () => {
    const sockets = new Set<Socket>();
    const waiting: (() => void)[] = [];
    let isHeld = false;
    const storage = await serve((request, response) => {
      sockets.add(request.socket);
      if (isHeld) waiting.push(() => response.end(empty));
      else response.end(empty);
    });

    for (let i = 0; i < 10; i++) await storage.query("Things", {});
    // Undici may open a second one when the first has not been given back yet.
    expect(sockets.size).toBeLessThanOrEqual(2);

    isHeld = true;
    const all = Array.from({ length: 100 }, () => storage.query("Things", {}));
    await expect.poll(() => waiting.length).toBe(64);
    isHeld = false;
    for (const reply of waiting) reply();
    await Promise.all(all);
    expect(sockets.size).toBeLessThanOrEqual(64);
  });

  test("a connection that the service ends after its answer is not used again", async () => {
    const sockets = new Set<Socket>();
    const storage = await serve((request, response) => {
      sockets.add(request.socket);
      response.writeHead(200, { connection: "close" }).end(empty);
    });

    for (let i = 0; i < 3; i++) await storage.query("Things", {});

    expect(sockets.size).toBe(3);
  });

  test("large bodies arrive whole, both ways", async () => {
    const long = "ä".repeat(30_000);
    const names = Array.from({ length: 15 }, (_, i) => `p${i}`);
    const entity = {
      PartitionKey: "p",
      RowKey: "r",
      ...Object.fromEntries(names.map((name) => [name, long])),
    };
    let body = "";
    const storage = await serve((request, response) => {
      if (request.method === "GET") {
        response.end(JSON.stringify({ value: Array.from({ length: 10 }, () => entity) }));
        return;
      }
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => response.writeHead(204).end());
    });

    const { entities } = await storage.query("Things", {});
    await storage.write("Things", { type: "insert", entity });

    expect(entities).toHaveLength(10);
    expect(entities[9]).toMatchObject(entity);
    expect(JSON.parse(body)).toMatchObject(entity);
  });

  test("an answer that stops in the middle", async () => {
    const storage = await serve(
      (_request, response) => {
        response.writeHead(200, { "content-length": "1000" }).write('{"value":[');
      },
      { timeouts: { idleMs: 100 } },
    );

    expect(await read(storage)).toMatchObject({ code: "storage.timeout", applied: "no", message: /middle/ });
    expect(await write(storage)).toMatchObject({ code: "storage.timeout", applied: "maybe" });
  });

  test("a host that accepts connections and agrees on no TLS", async () => {
    const port = await listen(createTcpServer(() => undefined));
    const storage = await storageAt(`https://127.0.0.1:${port}/acct`, {
      transport,
      timeouts: { connectMs: 100 },
    });

    expect(await write(storage)).toMatchObject({
      code: "storage.unreachable",
      applied: "no",
      message: /UND_ERR_CONNECT_TIMEOUT/,
    });
  });

  test("a request that is cancelled, or out of time, before it has a connection", async () => {
    const port = await listen(createTcpServer(() => undefined));
    const storage = await storageAt(`https://127.0.0.1:${port}/acct`, {
      transport,
      timeouts: { connectMs: 1000, writeMs: 100 },
    });
    const signal = AbortSignal.timeout(20);

    expect(await errorOf(storage.write("Things", insert(), { signal }))).toMatchObject({
      code: "storage.cancelled",
      applied: "no",
    });
    expect(await write(storage)).toMatchObject({ code: "storage.timeout", applied: "no" });
  });

  test("a certificate is checked, and one that is trusted is taken", async () => {
    const server = createTlsServer(certificate, (_request, response) => response.end(empty));
    const endpoint = `https://localhost:${await listen(server)}/acct`;
    const distrusting = await storageAt(endpoint, { transport });

    expect(await write(distrusting)).toMatchObject({
      code: "storage.unreachable",
      applied: "no",
      message: /DEPTH_ZERO_SELF_SIGNED_CERT/,
    });

    const usual = getCACertificates("default");
    onTestFinished(() => setDefaultCACertificates(usual));
    setDefaultCACertificates([...usual, certificate.cert]);
    const trusting = await storageAt(endpoint, { transport });
    expect((await trusting.query("Things", {})).entities).toEqual([]);
  });

  test("a service that speaks no TLS", async () => {
    const port = await listen(createServer((_request, response) => response.end(empty)));
    const storage = await storageAt(`https://127.0.0.1:${port}/acct`, { transport });

    expect(await write(storage)).toMatchObject({
      code: "storage.unreachable",
      applied: "no",
      message: /does not use TLS/,
    });
  });

  test("a storage is closed once its requests have ended", async () => {
    const arrived = Promise.withResolvers<ServerResponse>();
    const storage = await serve((_request, response) => arrived.resolve(response));
    const events: string[] = [];

    const reading = storage.query("Things", {}).then(() => events.push("read"));
    const response = await arrived.promise;
    const closing = storage.close().then(() => events.push("closed"));
    response.end(empty);
    await Promise.all([reading, closing]);

    expect(events).toEqual(["read", "closed"]);
  });
});
