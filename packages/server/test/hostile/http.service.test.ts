/* oxlint-disable vitest/expect-expect -- helpers check */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { openStorage, type TableStorage } from "@partita/core";
import { accountSas } from "@partita/account";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startTableServer, type TableServer } from "../../src/index.ts";

let server: TableServer;
let storage: TableStorage;
let sas: string;
const sockets = new Set<Socket>();
beforeAll(async () => {
  server = await startTableServer();
  storage = await openStorage(server.connectionString);
  for (const table of ["Others", "Things"]) await storage.createTable(table);
  await storage.write("Things", {
    type: "insert",
    entity: { PartitionKey: "p", RowKey: "r", secret: "canary" },
  });
  sas = accountSas(
    { accountName: server.account, accountKey: server.key },
    { permissions: "rwdlacu", expiresAt: new Date(Date.now() + 600_000), protocol: "https,http" },
  );
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});
afterAll(async () => {
  await storage.close();
  await server.close();
});

async function open(): Promise<Socket> {
  const socket = connect(server.port, "127.0.0.1");
  sockets.add(socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** What comes back for these bytes until the connection ends, or until the server has nothing more to say to them. */
async function exchange(bytes: string | Buffer): Promise<string> {
  const socket = await open();
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => socket.once("close", resolve));
  await Promise.race([ended, write(socket, bytes)]);
  await Promise.race([ended, othersAreServed()]);
  return Buffer.concat(chunks).toString("latin1");
}

/** Resolves when these bytes have left, or never will. */
const write = (socket: Socket, bytes: string | Buffer): Promise<void> =>
  new Promise((resolve) => socket.write(bytes, () => resolve()));

/**
 * Sends requests of another client, one after the other, each of which waits in the same lines: what the server was sent
 * before them it has read and answered by then.
 */
async function othersAreServed(): Promise<void> {
  for (let i = 0; i < 5; i++)
    await storage.write("Others", { type: "upsert-replace", entity: { PartitionKey: "p", RowKey: "r" } });
}

const statusesOf = (responses: string): number[] =>
  [...responses.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map((found) => Number(found[1]));

const path = (rest = "/Things()?"): string => `/${server.account}${rest}${sas}`;
const host = (): string => `Host: 127.0.0.1:${server.port}\r\n`;
const head = (method = "GET", rest?: string): string => `${method} ${path(rest)} HTTP/1.1\r\n${host()}`;
const json = '{"PartitionKey":"evil","RowKey":"evil"}';
const post = (headers: string, body = json): string =>
  `${head("POST", "/Things?")}Content-Type: application/json\r\nAccept: application/json\r\n${headers}\r\n${body}`;

test("the requests that these are made of are good ones", async () => {
  expect(statusesOf(await exchange(`${head()}Accept: application/json\r\n\r\n`))).toEqual([200]);
  expect(statusesOf(await exchange(post(`Content-Length: ${json.length}\r\n`)))).toEqual([201]);
  await storage.write("Things", { type: "delete", key: { partitionKey: "evil", rowKey: "evil" }, etag: "*" });
});

/** Requests that two readers could understand in two ways, and others that no client sends. */
const rawRequests: readonly (readonly [name: string, bytes: () => string | Buffer])[] = [
  [
    "a length and chunks",
    () =>
      post(
        `Content-Length: 6\r\nTransfer-Encoding: chunked\r\n`,
        `${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`,
      ),
  ],
  ["chunks and a length", () => post(`Transfer-Encoding: chunked\r\nContent-Length: ${json.length}\r\n`)],
  ["two lengths", () => post(`Content-Length: ${json.length}\r\nContent-Length: 1\r\n`)],
  ["two equal lengths", () => post(`Content-Length: ${json.length}\r\nContent-Length: ${json.length}\r\n`)],
  ["a list of lengths", () => post(`Content-Length: ${json.length}, 1\r\n`)],
  ["a length with a sign", () => post(`Content-Length: +${json.length}\r\n`)],
  ["a negative length", () => post("Content-Length: -1\r\n")],
  ["a hexadecimal length", () => post("Content-Length: 0x10\r\n")],
  ["a length beyond numbers", () => post("Content-Length: 99999999999999999999\r\n")],
  ["a length with a space before its colon", () => post(`Content-Length : ${json.length}\r\n`)],
  ["another encoding", () => post("Transfer-Encoding: evil\r\n")],
  ["an encoding twice", () => post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n")],
  ["an encoding behind another", () => post("Transfer-Encoding: chunked, identity\r\n")],
  ["an encoding with a vertical tab", () => post("Transfer-Encoding:\u000bchunked\r\n")],
  ["a folded header", () => post(`Content-Length: 1\r\n ${json.length}\r\n`)],
  ["bare line feeds", () => post(`Content-Length: ${json.length}\r\n`).replaceAll("\r\n", "\n")],
  ["a bare line feed in the headers", () => `${head()}X-A: 1\nX-B: 2\r\n\r\n`],
  ["bare carriage returns", () => `${head()}X-A: 1\rX-B: 2\r\n\r\n`],
  ["a NUL in a header", () => `${head()}X-Evil: a\0b\r\n\r\n`],
  ["a NUL in a name", () => `${head()}X-\0Evil: a\r\n\r\n`],
  ["a NUL in the path", () => `GET /${server.account}/Th\0ings HTTP/1.1\r\n${host()}\r\n`],
  ["a space in a name", () => `${head()}X Evil: a\r\n\r\n`],
  ["a header without name", () => `${head()}: a\r\n\r\n`],
  ["a header without colon", () => `${head()}evil\r\n\r\n`],
  ["no host", () => `GET ${path()} HTTP/1.1\r\n\r\n`],
  ["an empty host", () => `GET ${path()} HTTP/1.1\r\nHost:\r\n\r\n`],
  ["two hosts", () => `${head()}Host: evil.example\r\n\r\n`],
  ["two equal hosts", () => `${head()}${host()}\r\n`],
  ["a foreign host", () => `GET ${path()} HTTP/1.1\r\nHost: evil.example\r\n\r\n`],
  [
    "a foreign host with this port",
    () => `GET ${path()} HTTP/1.1\r\nHost: evil.example:${server.port}\r\n\r\n`,
  ],
  [
    "a host that begins like this machine",
    () => `GET ${path()} HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n`,
  ],
  [
    "a host that begins like localhost",
    () => `GET ${path()} HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n`,
  ],
  ["a host with user", () => `GET ${path()} HTTP/1.1\r\nHost: 127.0.0.1@evil.example\r\n\r\n`],
  ["a host with a path", () => `GET ${path()} HTTP/1.1\r\nHost: evil.example/127.0.0.1\r\n\r\n`],
  ["a host with two ports", () => `GET ${path()} HTTP/1.1\r\nHost: 127.0.0.1:1:2\r\n\r\n`],
  ["a host of another network", () => `GET ${path()} HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n`],
  ["a host that is a list", () => `GET ${path()} HTTP/1.1\r\nHost: 127.0.0.1, evil.example\r\n\r\n`],
  [
    "an absolute address of its own",
    () => `GET http://127.0.0.1:${server.port}${path()} HTTP/1.1\r\n${host()}\r\n`,
  ],
  ["an absolute address elsewhere", () => `GET http://evil.example/ HTTP/1.1\r\n${host()}\r\n`],
  ["an absolute address of another scheme", () => `GET ftp://evil.example/ HTTP/1.1\r\n${host()}\r\n`],
  ["a tunnel", () => `CONNECT evil.example:443 HTTP/1.1\r\n${host()}\r\n`],
  ["an asterisk", () => `OPTIONS * HTTP/1.1\r\n${host()}\r\n`],
  ["an upgrade", () => `GET / HTTP/1.1\r\n${host()}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
  [
    "an upgrade to HTTP/2",
    () =>
      `GET / HTTP/1.1\r\n${host()}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
  ],
  ["HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["TLS", () => Buffer.from("160301020001000001fc0303", "hex")],
  ["HTTP/0.9", () => "GET /\r\n\r\n"],
  ["another version", () => `GET ${path()} HTTP/3.0\r\n${host()}\r\n`],
  ["a method that is none", () => `EVIL ${path()} HTTP/1.1\r\n${host()}\r\n`],
  ["a method in lower case", () => `get ${path()} HTTP/1.1\r\n${host()}\r\n`],
  ["TRACE", () => `TRACE / HTTP/1.1\r\n${host()}X-Canary: canary\r\n\r\n`],
  ["bytes without meaning", () => Buffer.alloc(5000, 0xff)],
  ["zeros", () => Buffer.alloc(5000)],
  ["headers of 20 KiB", () => `${head()}X-Evil: ${"e".repeat(20_000)}\r\n\r\n`],
  [
    "10,000 headers",
    () => `${head()}${Array.from({ length: 10_000 }, (_, i) => `X-${i}: 1\r\n`).join("")}\r\n`,
  ],
  ["a path of 100 KiB", () => `GET /${"a".repeat(100_000)} HTTP/1.1\r\n${host()}\r\n`],
  ["a body that is said to be too long", () => post("Content-Length: 4294967296\r\n", "")],
  ["a body that is too long", () => post("Content-Length: 5000000\r\n", "x".repeat(5_000_000))],
  [
    "chunks that are too long",
    () =>
      post(
        "Transfer-Encoding: chunked\r\n",
        `${(5_000_000).toString(16)}\r\n${"x".repeat(5_000_000)}\r\n0\r\n\r\n`,
      ),
  ],
  ["a chunk of letters", () => post("Transfer-Encoding: chunked\r\n", `zz\r\n${json}\r\n0\r\n\r\n`)],
  [
    "a chunk beyond numbers",
    () => post("Transfer-Encoding: chunked\r\n", `ffffffffffffffffff\r\n${json}\r\n`),
  ],
  [
    "a chunk with an endless extension",
    () =>
      post(
        "Transfer-Encoding: chunked\r\n",
        `${json.length.toString(16)};${"e".repeat(20_000)}\r\n${json}\r\n0\r\n\r\n`,
      ),
  ],
  [
    "a dot path",
    () =>
      `GET /${server.account}/../../etc/passwd?${sas} HTTP/1.1\r\n${host()}Accept: application/json\r\n\r\n`,
  ],
  [
    "an encoded dot path",
    () => `GET /${server.account}/%2e%2e%2f%2e%2e%2fetc%2fpasswd?${sas} HTTP/1.1\r\n${host()}\r\n`,
  ],
  ["a broken escape", () => `GET /${server.account}/%zz?${sas} HTTP/1.1\r\n${host()}\r\n`],
  ["an escape of half a character", () => `GET /${server.account}/%c3?${sas} HTTP/1.1\r\n${host()}\r\n`],
  ["another account", () => `GET /other/Things()?${sas} HTTP/1.1\r\n${host()}\r\n`],
  [
    "an account that begins like this one",
    () => `GET /${server.account}evil/Things()?${sas} HTTP/1.1\r\n${host()}\r\n`,
  ],
  [
    "an account with a slash before",
    () => `GET //${server.account}/Things()?${sas} HTTP/1.1\r\n${host()}\r\n`,
  ],
  [
    "two methods in one",
    () =>
      `${head("POST", "/Things(PartitionKey='p',RowKey='r')?")}X-HTTP-Method: DELETE\r\nX-HTTP-Method: MERGE\r\nContent-Length: 0\r\n\r\n`,
  ],
  [
    "a method over another one",
    () =>
      `${head("GET", "/Things(PartitionKey='p',RowKey='r')?")}X-HTTP-Method: DELETE\r\nIf-Match: *\r\n\r\n`,
  ],
  [
    "a method that is not allowed",
    () =>
      `${head("POST", "/Things(PartitionKey='p',RowKey='r')?")}X-HTTP-Method: EVIL\r\nContent-Length: 0\r\n\r\n`,
  ],
  [
    "a JSON of 100,000 levels",
    () => post(`Content-Length: 200000\r\n`, "[".repeat(100_000) + "]".repeat(100_000)),
  ],
  ["a JSON with a million commas", () => post("Content-Length: 1000000\r\n", ",".repeat(1_000_000))],
  [
    "a JSON with a million names",
    () => {
      const body = `{${Array.from({ length: 100_000 }, (_, i) => `"a${i}":1`).join(",")}}`;
      return post(`Content-Length: ${body.length}\r\n`, body);
    },
  ],
  [
    "a JSON with an object for a key",
    () => post("Content-Length: 31\r\n", '{"PartitionKey":{},"RowKey":[]}'),
  ],
  [
    "a JSON with a name twice",
    () => post("Content-Length: 52\r\n", '{"PartitionKey":"p","RowKey":"e","RowKey":"x","a":1}'),
  ],
  [
    "a body that is no UTF-8",
    () =>
      Buffer.concat([Buffer.from(post("Content-Length: 4\r\n", "")), Buffer.from([0xff, 0xfe, 0xc0, 0x80])]),
  ],
  [
    "a compressed body",
    () =>
      Buffer.concat([
        Buffer.from(post("Content-Encoding: gzip\r\nContent-Length: 4\r\n", "")),
        Buffer.from([0x1f, 0x8b, 8, 0]),
      ]),
  ],
];

describe("a request with", () => {
  test.each(rawRequests)("%s is refused, and the next client is served", async (_name, bytes) => {
    const response = await exchange(bytes());

    // Some end with no answer at all, none with one that did the work or a fault of the server.
    for (const status of statusesOf(response))
      expect([400, 403, 404, 405, 408, 413, 414, 417, 426, 431, 501, 505]).toContain(status);
    expect(response).not.toContain("canary");
    expect((await storage.query("Things", {})).entities).toMatchObject([{ PartitionKey: "p", RowKey: "r" }]);
  });
});

test("what follows a refused request on its connection is not read as another one", async () => {
  const smuggled = `${head()}Accept: application/json\r\n\r\n`;

  for (const [name, bytes] of rawRequests.slice(0, 24)) {
    const response = await exchange(Buffer.concat([Buffer.from(bytes()), Buffer.from(smuggled)]));
    expect([name, response.includes("canary")]).toEqual([name, false]);
  }
});

test("a page of another origin gets no leave to read or to ask", async () => {
  for (const origin of ["https://evil.example", "null", `http://127.0.0.1:${server.port}`, "file://"]) {
    const simple = await exchange(`${head()}Origin: ${origin}\r\nAccept: application/json\r\n\r\n`);
    const preflight = await exchange(
      `OPTIONS ${path()} HTTP/1.1\r\n${host()}Origin: ${origin}\r\nAccess-Control-Request-Method: DELETE\r\n\r\n`,
    );

    expect(simple.toLowerCase()).not.toContain("access-control-");
    expect(statusesOf(preflight)).toEqual([403]);
    expect(preflight.toLowerCase()).not.toContain("access-control-");
  }
});

/** A live client's requests while others hold the server's connections. */
async function isServed(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    await using live = await openStorage(server.connectionString);
    expect((await live.query("Things", {})).entities).toHaveLength(1);
  }
}

describe("a live client is served while there are", () => {
  test.each<[name: string, bytes: () => string]>([
    ["300 idle connections", () => ""],
    ["300 half request lines", () => "GET /"],
    ["300 requests whose headers do not end", () => `${head()}X-Slow: `],
    ["300 requests whose body does not come", () => `${post("Content-Length: 1000\r\n", "")}`],
    [
      "300 requests of strangers whose body does not come",
      () => `POST /${server.account}/Things HTTP/1.1\r\n${host()}Content-Length: 1000\r\n\r\n{`,
    ],
    ["300 requests whose chunks do not end", () => `${post("Transfer-Encoding: chunked\r\n", "1\r\n{\r\n")}`],
  ])("%s", async (_name, bytes) => {
    const idle = await Promise.all(Array.from({ length: 300 }, open));
    await Promise.all(idle.map((socket) => write(socket, bytes())));

    await isServed();
  });

  test("connections that are dropped in the middle", async () => {
    for (let i = 0; i < 100; i++) {
      const socket = await open();
      socket.write(post("Content-Length: 1000\r\n", "{"));
      socket.resetAndDestroy();
    }

    await isServed();
  });

  test("answers that nobody reads", async () => {
    const deaf = await Promise.all(Array.from({ length: 50 }, open));
    for (const socket of deaf) {
      socket.pause();
      socket.write(`${head()}Accept: application/json\r\n\r\n`.repeat(50));
    }

    await isServed();
  });
});
