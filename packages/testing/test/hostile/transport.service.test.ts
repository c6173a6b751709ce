/* oxlint-disable vitest/expect-expect -- helpers check */
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { TableStorage } from "@partita/core";
import type { WriteOperation } from "@partita/core/storage";
import { describe, expect, test } from "vitest";
import {
  answering,
  answeringJson,
  errorWhenTimeIsOver,
  serve,
  serveBytes,
  storageAt,
  typedError,
} from "./fake-service.ts";

const insert: WriteOperation = { type: "insert", entity: { PartitionKey: "p", RowKey: "r" } };
const key = { partitionKey: "p", rowKey: "r" };

/** Every kind of request. */
const requests: readonly (readonly [name: string, send: (storage: TableStorage) => Promise<unknown>])[] = [
  ["query", (storage) => storage.query("Things", {})],
  ["get", (storage) => storage.get("Things", key)],
  ["insert", (storage) => storage.write("Things", insert)],
  ["delete", (storage) => storage.write("Things", { type: "delete", key, etag: "*" })],
  ["transaction", (storage) => storage.transact("Things", [insert])],
  ["createTable", (storage) => storage.createTable("Things")],
  ["deleteTable", (storage) => storage.deleteTable("Things")],
  ["listTables", (storage) => storage.listTables()],
];

describe.each([300, 301, 302, 303, 305, 307, 308, 399])("a redirect with status %d", (status) => {
  test.each<[name: string, location: (other: number, own: number) => string]>([
    ["another port", (other) => `http://127.0.0.1:${other}/steal`],
    ["another name of this machine", (other) => `http://localhost:${other}/steal`],
    ["a path without host", () => "/steal"],
    ["a host without scheme", (other) => `//127.0.0.1:${other}/steal`],
    ["the address of metadata services", () => "http://169.254.169.254/latest/meta-data/"],
    ["a file", () => "file:///etc/passwd"],
    ["itself", (_other, own) => `http://127.0.0.1:${own}/acct/Things()`],
    ["nothing", () => ""],
  ])("to %s is not followed", async (_name, location) => {
    let visits = 0;
    let asked = 0;
    const other = await serve((_request, response) => (visits++, response.end('{"value":[]}')));
    let own = 0;
    own = await serve((_request, response) => {
      asked++;
      response
        .writeHead(status, { location: location(other, own), refresh: `0;url=http://127.0.0.1:${other}` })
        .end();
    });
    const storage = await storageAt(own);

    for (const [, send] of requests)
      expect(await typedError(() => send(storage))).toMatchObject({
        code: "storage.redirect-refused",
        status,
        applied: "no",
      });
    expect(asked).toBe(requests.length);
    expect(visits).toBe(0);
  });
});

describe.each(requests)("%s", (name, send) => {
  const isWrite = !["query", "get", "listTables"].includes(name);
  const applied = isWrite ? "maybe" : "no";

  test("ends when an answer has no end", async () => {
    let sent = 0;
    const storage = await answering((_request, response) => {
      response.writeHead(isWrite ? 202 : 200);
      const chunk = Buffer.alloc(256 * 1024, 0x20);
      const pump = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        if (!response.destroyed) response.once("drain", pump);
      };
      pump();
    });

    expect(await typedError(() => send(storage))).toMatchObject({
      code: "storage.response-too-large",
      applied,
    });
    expect(sent).toBeLessThan(40 * 1024 * 1024);
  });

  /** A service that says something piece by piece without end, and when it has said much. */
  async function endless(
    say: (response: ServerResponse, said: () => void) => void,
  ): Promise<{ readonly storage: TableStorage; readonly hasSaidMuch: Promise<unknown> }> {
    const { promise: hasSaidMuch, resolve } = event();
    let count = 0;
    const storage = await answering((_request, response) => {
      const go = (): void => {
        if (++count === 50) resolve();
        if (!response.destroyed) say(response, () => setImmediate(go));
      };
      go();
    });
    return { storage, hasSaidMuch };
  }

  test("ends when an answer comes byte by byte", async () => {
    const { storage, hasSaidMuch } = await endless((response, said) => {
      if (!response.headersSent) response.writeHead(200);
      response.write(" ", said);
    });

    const error = await errorWhenTimeIsOver(() => send(storage), hasSaidMuch);

    expect(error).toMatchObject({ code: "storage.timeout", applied });
  });

  test("ends when an answer stops in the middle", async () => {
    const { promise: hasStopped, resolve } = event();
    const storage = await answering((_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{", resolve);
    });

    const error = await errorWhenTimeIsOver(() => send(storage), hasStopped);

    expect(error).toMatchObject({ code: "storage.timeout", applied });
  });

  test("ends when interim answers never stop", async () => {
    const { storage, hasSaidMuch } = await endless((response, said) => response.writeProcessing(said));

    const error = await errorWhenTimeIsOver(() => send(storage), hasSaidMuch);

    expect(error).toMatchObject({ applied });
  });
});

/** Something that comes about when a test says so. */
function event(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

test("no compressed answer is asked for, and none is inflated", async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
  const accepted: unknown[] = [];
  const storage = await answering((request, response) => {
    accepted.push(request.headers["accept-encoding"]);
    response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/json" }).end(bomb);
  });

  const before = process.memoryUsage.rss();
  expect(await typedError(() => storage.query("Things", {}))).toMatchObject({
    code: "storage.malformed-response",
  });
  expect(process.memoryUsage.rss() - before).toBeLessThan(48 * 1024 * 1024);
  expect(accepted).toEqual([undefined]);
});

test.each(["gzip", "deflate", "br", "zstd", "gzip, gzip, gzip", "identity, gzip", "evil"])(
  "an answer in the encoding %s is not taken for JSON",
  async (encoding) => {
    const body = gzipSync('{"value":[{"PartitionKey":"p","RowKey":"r"}]}');
    const storage = await answering((_request, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(body),
    );

    expect(await typedError(() => storage.query("Things", {}))).toMatchObject({
      code: "storage.malformed-response",
    });
  },
);

const good = '{"value":[]}';
const evil = '{"value":[{"PartitionKey":"evil","RowKey":"evil"}]}';

/** Bytes that are no answer, or more than one. */
const wireResponses: readonly (readonly [name: string, bytes: string])[] = [
  ["nothing that is HTTP", "SSH-2.0-OpenSSH_9.9\r\n\r\n"],
  ["HTTP/0.9", good],
  ["another version", `HTTP/9.9 200 OK\r\nContent-Length: 12\r\n\r\n${good}`],
  ["no status", `HTTP/1.1\r\nContent-Length: 12\r\n\r\n${good}`],
  ["a status of four digits", `HTTP/1.1 2000 OK\r\nContent-Length: 12\r\n\r\n${good}`],
  ["a status of letters", `HTTP/1.1 abc OK\r\nContent-Length: 12\r\n\r\n${good}`],
  ["status 000", `HTTP/1.1 000 OK\r\nContent-Length: 12\r\n\r\n${good}`],
  ["status 999", `HTTP/1.1 999 OK\r\nContent-Length: 12\r\n\r\n${good}`],
  ["status 101", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: evil\r\nConnection: upgrade\r\n\r\n"],
  ["status 204 for a read", "HTTP/1.1 204 No Content\r\n\r\n"],
  ["status 206", `HTTP/1.1 206 Partial Content\r\nContent-Length: 12\r\n\r\n${good}`],
  ["status 304", "HTTP/1.1 304 Not Modified\r\n\r\n"],
  ["a length of letters", `HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n${good}`],
  ["a negative length", `HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n${good}`],
  ["a length beyond numbers", `HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n${good}`],
  ["two lengths", `HTTP/1.1 200 OK\r\nContent-Length: 12\r\nContent-Length: 50\r\n\r\n${good}${evil}`],
  [
    "a length and chunks",
    `HTTP/1.1 200 OK\r\nContent-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n${good}\r\n0\r\n\r\n`,
  ],
  ["a chunk of letters", `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${good}\r\n0\r\n\r\n`],
  [
    "a chunk beyond numbers",
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffffffff\r\n${good}`,
  ],
  ["a NUL in a header", `HTTP/1.1 200 OK\r\nX-Evil: a\0b\r\nContent-Length: 12\r\n\r\n${good}`],
  ["a header without colon", `HTTP/1.1 200 OK\r\nevil\r\nContent-Length: 12\r\n\r\n${good}`],
  ["headers without end", `HTTP/1.1 200 OK\r\n${"X-Evil: 1\r\n".repeat(5000)}`],
  [
    "a header of 1 MiB",
    `HTTP/1.1 200 OK\r\nX-Evil: ${"e".repeat(1024 * 1024)}\r\nContent-Length: 12\r\n\r\n${good}`,
  ],
  [
    "a continuation twice",
    `HTTP/1.1 200 OK\r\nx-ms-continuation-nextpartitionkey: a\r\nx-ms-continuation-nextpartitionkey: b\r\nContent-Length: 12\r\n\r\n${good}`,
  ],
];

test.each(wireResponses)("%s is refused by every read", async (_name, bytes) => {
  const storage = await storageAt(await serveBytes(bytes));

  expect(await typedError(() => storage.query("Things", {}))).toMatchObject({ applied: "no" });
});

test("an answer that came before its request is nobody's", async () => {
  const reply = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const storage = await storageAt(await serveBytes(reply(good) + reply(evil), { keepsOpen: true }));

  for (let i = 0; i < 5; i++) {
    const page = await storage.query("Things", {}).catch(() => undefined);
    expect(JSON.stringify(page ?? {})).not.toContain("evil");
  }
});

/** Statuses that some of these requests end with, and no table service answers them with. */
test.each([200, 203, 205, 206, 207, 226, 299])(
  "a write is not stored because of status %d",
  async (status) => {
    const storage = await answering((_request, response) => response.writeHead(status).end());

    expect(await typedError(() => storage.write("Things", insert))).toMatchObject({ applied: "maybe" });
    expect(await typedError(() => storage.transact("Things", [insert]))).toMatchObject({ applied: "maybe" });
  },
);

const part = (status: string, body = ""): string =>
  `--changeset\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nHTTP/1.1 ${status}\r\n\r\n${body}\r\n`;
const whole = (...parts: readonly string[]): string =>
  `--batch\r\nContent-Type: multipart/mixed; boundary=changeset\r\n\r\n${parts.join("")}--changeset--\r\n--batch--\r\n`;
const stored = part("204 No Content");

test.each<[name: string, body: string]>([
  ["no body", ""],
  ["JSON", '{"value":[]}'],
  ["a boundary alone", "--batch\r\n--batch--\r\n"],
  ["no part", whole()],
  ["one part for two operations", whole(stored)],
  ["three parts", whole(stored, stored, stored)],
  ["an end that is missing", whole(stored, stored).replace("--batch--\r\n", "")],
  ["an end of another boundary", whole(stored, stored).replace("--batch--\r\n", "--other--\r\n")],
  ["a part that is cut off", whole(stored, stored).slice(0, 260)],
  ["a status of four digits", whole(stored, part("2040 No Content"))],
  ["a status of letters", whole(stored, part("OK"))],
  ["another version", whole(stored, stored).replaceAll("HTTP/1.1", "HTTP/2")],
  ["an interim status", whole(stored, part("100 Continue"))],
  ["a redirect", whole(stored, part("302 Found"))],
  ["a fault of the service", whole(part("500 Internal Server Error"))],
  ["a busy service", whole(part("503 Service Unavailable"))],
  ["parts as one line", whole(stored, stored).replaceAll("\r\n", " ")],
  ["parts in a comment", `<!--${whole(stored, stored)}-->`],
])("a transaction with %s is not known to be stored", async (_name, body) => {
  const storage = await answering((_request, response) => response.writeHead(202).end(body));

  const error = await typedError(() => storage.transact("Things", [insert, insert]));

  expect(error).toMatchObject({ applied: "maybe" });
});

test("a list of tables that goes round ends", async () => {
  let page = 0;
  const storage = await answering((_request, response) => {
    if (page > 200) return response.destroy();
    response.setHeader("x-ms-continuation-nexttablename", `t${page++ % 3}`);
    return response.writeHead(200).end('{"value":[{"TableName":"Things"}]}');
  });

  expect(await typedError(() => storage.listTables())).toMatchObject({ code: "storage.malformed-response" });
});

test.each([
  "\u001b[2J\u001b[31mcanary",
  "line\rother line",
  "tab\tand\u0085next",
  "nul\u0000",
  "m".repeat(50_000),
  '{"toString":1}',
])("a service's own words are one line of plain text: %j", async (value) => {
  for (const message of [value, { lang: "en-US", value }, { value: { toString: 1 } }, [value]]) {
    const storage = await answering((_request, response) =>
      response.writeHead(400).end(JSON.stringify({ "odata.error": { code: "InvalidInput", message } })),
    );

    await typedError(() => storage.query("Things", {}));
  }
});

test.each(["__proto__", "constructor", "a\r\nb", "<script>", "../..", "x".repeat(1000), "", "storage"])(
  "a service's code %j makes no code that breaks out",
  async (code) => {
    for (const status of [400, 404, 409, 412, 503]) {
      const storage = await answering((_request, response) =>
        response
          .writeHead(status, { "retry-after": "99999999999" })
          .end(JSON.stringify({ "odata.error": { code, message: { value: "x" } } })),
      );

      expect(await typedError(() => storage.query("Things", {}))).toMatchObject({ status });
    }
  },
);

test.each([
  "null",
  "[]",
  "7",
  '"x"',
  '{"odata.error":null}',
  '{"odata.error":7}',
  '{"odata.error":{"message":null}}',
  '{"error":[]}',
])("an error's answer may be %s", async (body) => {
  const storage = await answering((_request, response) => response.writeHead(400).end(body));

  expect(await typedError(() => storage.query("Things", {}))).toMatchObject({ status: 400 });
});

test("a continuation token that was altered is refused, or only read as it is", async () => {
  const storage = await answeringJson({ value: [] });

  for (const token of [
    "",
    "x",
    "null",
    "W10",
    "WzFd",
    Buffer.from('{"__proto__":[]}').toString("base64url"),
    "\r\nX: 1",
    "é",
    Buffer.from('[{"toString":1}]').toString("base64url"),
  ])
    expect(await typedError(() => storage.query("Things", { after: token as never }))).toMatchObject({
      code: "storage.invalid-input",
    });
});
