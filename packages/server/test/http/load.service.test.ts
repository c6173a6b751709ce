import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { openStorage, type TableStorage } from "@partita/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startTableServer, type TableServer } from "../../src/index.ts";
import { Health } from "../../src/http/health.ts";
import { createListener } from "../../src/http/listener.ts";
import { tableForms } from "../../src/wire/response-forms.ts";
import { asker, codeIn, fullSas, ownerAsker } from "../ask.ts";

// What a server does for one client while others ask for much, or for nothing.

let inner: TableStorage;
let server: TableServer;
const sockets = new Set<Socket>();
const queries: (number | undefined)[] = [];
beforeEach(async () => {
  queries.length = 0;
  inner = await openStorage("memory:");
  await inner.createTable("Things");
  // The methods of the store that is watched are its own, those beside `query` included.
  const watched = new Proxy(inner, {
    get(target, name: keyof TableStorage) {
      if (name === "query") return query;
      const member: unknown = target[name];
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  const query: TableStorage["query"] = (table, stored, options) => {
    if (table === "Things") queries.push(stored.top);
    return inner.query(table, stored, options);
  };
  server = await startTableServer({ storage: watched });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await server.close();
  await inner.close();
});

async function open(port: number = server.port): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  sockets.add(socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** The next bytes that come, as text. */
const responseOn = async (socket: Socket): Promise<string> =>
  String(((await once(socket, "data")) as [Buffer])[0]);

async function fill(rows: number): Promise<void> {
  for (let start = 0; start < rows; start += 100)
    await inner.transact(
      "Things",
      Array.from({ length: 100 }, (_, i) => ({
        type: "insert" as const,
        entity: { PartitionKey: "p", RowKey: String(start + i).padStart(5, "0"), N: i },
      })),
    );
}

describe("a scan goes on piece by piece", () => {
  test("a page has all of its rows, in order, and goes on behind them", async () => {
    await fill(1500);
    const client = await openStorage(server.connectionString);
    const first = await client.query("Things", {});
    const second = await client.query("Things", { after: first.next as never });
    await client.close();

    expect([first.entities.length, second.entities.length, second.next]).toEqual([1000, 500, undefined]);
    const found = [...first.entities, ...second.entities].map(({ RowKey }) => RowKey);
    expect(found).toEqual(Array.from({ length: 1500 }, (_, i) => String(i).padStart(5, "0")));
    expect(Math.max(...queries.map((top) => top ?? Infinity))).toBeLessThanOrEqual(100);
  });

  test("a page is no larger than the storage wants it, and never longer than asked for", async () => {
    await fill(300);
    const ask = asker(server);
    const { text } = await ask("/Things()?$top=130");

    expect((JSON.parse(text) as { value: unknown[] }).value).toHaveLength(130);
    expect(queries.reduce<number>((sum, top) => sum + (top ?? 0), 0)).toBe(130);
  });

  test("a point read is answered while many scans are not", async () => {
    await fill(1000);
    const path = `/${server.account}/Things()?${fullSas(server)}`;
    const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAccept: application/json\r\n\r\n`;
    const client = await openStorage(server.connectionString);
    await client.get("Things", { partitionKey: "p", rowKey: "00001" });
    const scans = 40;
    const responses = await Promise.all(Array.from({ length: scans }, () => open()));
    const ended = responses.map(async (socket) => {
      let text = "";
      socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
      while (!text.endsWith("]}")) await once(socket, "data");
    });
    for (const socket of responses) socket.write(request);
    await expect.poll(() => queries.length).toBeGreaterThan(2);

    for (let i = 0; i < 5; i++) await client.get("Things", { partitionKey: "p", rowKey: "00500" });
    const done = queries.length;

    await Promise.all(ended);
    await client.close();
    // Each read comes between pieces: it waits for none of the scans, let alone for all of them.
    expect(done).toBeLessThan(queries.length / 2);
  });
});

describe("a request is decided on before its body comes", () => {
  const head = (path: string, headers: string): string =>
    `POST /${server.account}${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAccept: application/json\r\nContent-Type: application/json\r\n${headers}\r\n`;
  const json = '{"PartitionKey":"p","RowKey":"late"}';

  test.each(["Content-Length: 1000000\r\n", "Transfer-Encoding: chunked\r\n"])(
    "a stranger's with %j is refused without a byte of it",
    async (length) => {
      const socket = await open();
      socket.write(head("/Things", length));

      expect(await responseOn(socket)).toMatch(/^HTTP\/1\.1 403 [^]*AuthenticationFailed/);
    },
  );

  test("what a refused client still sends is dropped, and its next request is read", async () => {
    const socket = await open();
    socket.write(head("/Things", `Content-Length: ${json.length}\r\n`));
    expect(await responseOn(socket)).toMatch(/^HTTP\/1\.1 403 /);

    socket.write(json + head(`/Things?${fullSas(server)}`, `Content-Length: ${json.length}\r\n`) + json);
    expect(await responseOn(socket)).toMatch(/^HTTP\/1\.1 201 /);
    expect((await inner.query("Things", {})).entities).toHaveLength(1);
  });

  test("policies and properties are short, and longer ones are not read", async () => {
    const owner = ownerAsker(server);
    const long = `<SignedIdentifiers>${" ".repeat(70_000)}</SignedIdentifiers>`;
    for (const path of ["/Things?comp=acl", "/?restype=service&comp=properties"]) {
      const { status, text } = await owner(path, {
        method: "PUT",
        body: long,
        headers: { "content-type": "" },
      });
      expect([status, codeIn(text)]).toEqual([413, "RequestBodyTooLarge"]);
    }
  });

  test("markup that no entity has is refused before it is parsed, and long text is markup's to have", async () => {
    const atom = {
      "content-type": "application/atom+xml",
      "x-ms-version": "2015-07-08",
      accept: "application/atom+xml",
    };
    const insert = (properties: string): ReturnType<ReturnType<typeof asker>> =>
      asker(server)("/Things", {
        method: "POST",
        headers: atom,
        body: `<entry xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><content type="application/xml"><m:properties><d:PartitionKey>p</d:PartitionKey><d:RowKey>r</d:RowKey>${properties}</m:properties></content></entry>`,
      });
    const attributes = Array.from({ length: 1000 }, (_, i) => `a${i}=""`).join(" ");
    for (const bad of ["<d:a/>".repeat(3_000), "<!---->".repeat(3_000), `<d:A ${attributes}>1</d:A>`]) {
      const { status, text } = await insert(bad);
      expect([status, codeIn(text)]).toEqual([400, "InvalidInput"]);
    }
    const names = Array.from({ length: 15 }, (_, i) => `P${i}`);
    const long = names.map((name) => `<d:${name}>${"x".repeat(30_000)}</d:${name}>`).join("");
    expect((await insert(long)).status).toBe(201);
  });

  test("a body that is no UTF-8 is refused, and not stored as something else", async () => {
    const socket = await open();
    const body = Buffer.from(json.replace("late", "l\u00ffte"), "latin1");
    socket.write(head(`/Things?${fullSas(server)}`, `Content-Length: ${body.length}\r\n`));
    socket.write(body);

    expect(await responseOn(socket)).toMatch(/^HTTP\/1\.1 400 [^]*InvalidInput/);
    expect((await inner.query("Things", {})).entities).toEqual([]);
  });
});

test("a connection without a byte ends within seconds, and one that has begun does not", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const response = { status: 204, headers: {} };
  const { listener, connections } = createListener(() => ({ refusal: response }), {
    call: "startTableServer",
    host: "127.0.0.1",
    tls: undefined,
    now: () => 0,
    forms: tableForms,
    health: new Health(async () => undefined),
  });
  try {
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    const accepted = async (): Promise<Socket> => {
      const [socket] = await Promise.all([open(port), once(listener, "connection")]);
      return socket;
    };
    const begun = await accepted();
    const answered = responseOn(begun);
    begun.write("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await answered;
    begun.write("GET /b");
    const silent = await accepted();

    const closed = once(silent, "close");
    vi.advanceTimersByTime(5_000);
    await closed;
    const next = responseOn(begun);
    begun.write(" HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await next).toMatch(/^HTTP\/1\.1 204 /);
  } finally {
    vi.useRealTimers();
    connections.destroyAll();
    listener.close();
  }
});
