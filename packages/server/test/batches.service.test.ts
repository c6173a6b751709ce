import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { openStorage, type TableStorage } from "@partita/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTableServer, type TableServer } from "../src/index.ts";
import { type Ask, asker } from "./ask.ts";

let server: TableServer;
let ask: Ask;
let inner: TableStorage;
beforeAll(async () => {
  inner = await openStorage("memory:");
  server = await startTableServer({ storage: inner, account: "acct" });
  ask = asker(server);
  await inner.createTable("Things");
});
afterAll(() => server.close());

const send = (parts: string, outer = "boundary=batch_b"): ReturnType<Ask> =>
  ask("/$batch", { method: "POST", body: parts, headers: { "content-type": `multipart/mixed; ${outer}` } });
const change = (line: string, body = "", more = ""): string =>
  `--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n${line} HTTP/1.1\r\nAccept: application/json;odata=minimalmetadata\r\nContent-Type: application/json\r\n${more}\r\n${body}\r\n`;
const batch = (...changes: readonly string[]): string =>
  `--batch_b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${changes.join("")}--c--\r\n--batch_b--\r\n`;
const post = (rowKey: string, more = ""): string =>
  change(`POST ${server.url}/Things`, `{"PartitionKey":"b","RowKey":"${rowKey}"}`, more);

describe("a batch", () => {
  test("echoes the ids its client gave, and names the refused operation by its own", async () => {
    const reply = await send(batch(post("1", "Content-ID: 7\r\n"), post("2", "Content-ID: 8\r\n")));
    expect(reply.status).toBe(202);
    expect([...reply.text.matchAll(/Content-ID: (\d+)/g)].map(([, id]) => id)).toEqual(["7", "8"]);
    expect(reply.text.match(/HTTP\/1\.1 201 Created/g)).toHaveLength(2);
    const refused = await send(batch(post("3", "Content-ID: 0\r\n"), post("1", "Content-ID: last\r\n")));
    expect(refused.text).toMatch(/Content-ID: last\r\n/);
    expect(refused.text).toMatch(/HTTP\/1\.1 409 Conflict/);
    expect(refused.text).toContain('"value":"1:The specified entity already exists.');
    expect(await inner.get("Things", { partitionKey: "b", rowKey: "3" })).toBeUndefined();
  });

  const id = (value: string): string => `Content-ID: ${value}\r\n`;
  test.each([
    [["1", "1"], ["1"], 400],
    [["7", "8", "7"], ["7"], 400],
    [["a", "", "a"], ["a"], 400],
    [["2", ""], ["2"], 201],
    [["0", "1", "2"], ["0", "1", "2"], 201],
    [["", ""], [], 201],
    [["1", "01"], ["1", "01"], 201],
  ])("of operations with the ids %j is answered with %j: %i", async (ids, answered, status) => {
    for (const part of ["inner", "outer"] as const) {
      const row = (index: number): string => `id-${ids.join("-")}-${part}-${index}`;
      const changes = ids.map((value, index) => {
        const own = value === "" ? "" : id(value);
        if (part === "inner") return post(row(index), own);
        return post(row(index)).replace("--c\r\n", `--c\r\n${own}`);
      });
      const { text } = await send(batch(...changes));

      expect([...text.matchAll(/Content-ID: (\S+)/g)].map(([, value]) => value)).toEqual(answered);
      expect(text).toContain(`HTTP/1.1 ${status} `);
      const refused = /"value":"(\d+):One of the request inputs/.exec(text)?.[1];
      expect(refused).toBe(status === 400 ? String(ids.length - 1) : undefined);
      const stored = await inner.get("Things", { partitionKey: "b", rowKey: row(0) });
      expect(stored === undefined).toBe(status === 400);
    }
  });

  test("reads the headers of each part, which may be those of the part before or begin as they do", async () => {
    const none = "Prefer: return-no-content\r\n";
    const reported = "Prefer: return-content\r\n";
    const parts = ["", "", none, none, reported, "", "If-None-Match: *\r\n", none];
    const reply = await send(batch(...parts.map((more, i) => post(`h${i}`, more))));
    expect([...reply.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(
      parts.map((more) => (more === none ? "204" : "201")),
    );
    expect(reply.text.match(/Preference-Applied: return-content/g)).toHaveLength(1);
    const key = `${server.url}/Things(PartitionKey='b',RowKey='h0')`;
    const last = change(`DELETE ${key}`, "", "If-Match: *\r\n");
    const bare = last.replace("If-Match: *\r\n", "");
    expect((await send(batch(post("h8"), bare))).text).toMatch(/HTTP\/1\.1 400/);
    expect((await send(batch(post("h8"), last))).text).toMatch(/HTTP\/1\.1 204/);
    const plain = post("h10").replace("application/json\r\n", "text/plain\r\n");
    expect((await send(batch(post("h9"), plain))).text).toMatch(/HTTP\/1\.1 415/);
  });

  test.each([
    [
      "the samples' end without its last hyphens",
      (text: string) => text.replace("--batch_b--\r\n", "--batch_b"),
    ],
    ["no end at all", (text: string) => text.replace("--batch_b--\r\n", "")],
    ["lines that end with LF", (text: string) => text.replaceAll("\r\n", "\n")],
    [
      "blank lines before the first part",
      (text: string) => text.replace("boundary=c\r\n\r\n", "boundary=c\r\n\r\n\r\n"),
    ],
    ["names in lower case", (text: string) => text.replaceAll("Content-Type", "content-type")],
    [
      "a space after the comma",
      (text: string) =>
        text.replace(/POST \S+\/Things HTTP/, `PUT ${server.url}/Things(PartitionKey='b', RowKey='n') HTTP`),
    ],
    ["Things()", (text: string) => text.replace("/Things HTTP", "/Things() HTTP")],
    ["an address from the host's root", (text: string) => text.replace(server.url, `/${server.account}`)],
    ["an address from the account's root", (text: string) => text.replace(server.url, "")],
    ["an address without its first slash", (text: string) => text.replace(`${server.url}/`, "")],
    ["the port that a container shows outside", (text: string) => text.replace(`:${server.port}/`, ":1/")],
    [
      "the name that a proxy has outside",
      (text: string) => text.replace(server.url, `https://tables.example/${server.account}`),
    ],
    ["a slash at the end", (text: string) => text.replace("/Things HTTP", "/Things/ HTTP")],
    ["a host in capitals", (text: string) => text.replace("http://127.0.0.1", "HTTP://127.0.0.1")],
    ["multibyte text", (text: string) => text.replace('"}', '","T":"é\\u2028\u{1f600}"}')],
  ])("is read with %s", async (_what, vary) => {
    await inner
      .write("Things", { type: "delete", key: { partitionKey: "b", rowKey: "n" }, etag: "*" })
      .catch(() => undefined);
    const reply = await send(vary(batch(post("n"))));
    expect(reply.status).toBe(202);
    expect(reply.text).toMatch(/HTTP\/1\.1 20[14]/);
    expect(await inner.get("Things", { partitionKey: "b", rowKey: "n" })).toBeDefined();
  });

  test("a quoted boundary, and a charset beside it", async () => {
    const reply = await send(batch(post("quoted")), 'charset="utf-8"; boundary="batch_b"');
    expect(reply.text).toMatch(/HTTP\/1\.1 201/);
  });
});

test("a batch in the form of Python's clients is done", async () => {
  const put = (rowKey: string, id: number): string =>
    [
      "--changeset_1",
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      "",
      `PUT /Things(PartitionKey='py',RowKey='${rowKey}') HTTP/1.1`,
      `Content-ID: ${id}`,
      "Accept: application/json;odata=minimalmetadata",
      "Content-Type: application/json",
      "Content-Length: 9",
      "",
      '{"A": 1}',
    ].join("\n");
  const lines = [
    "--batch_b",
    "Content-Type: multipart/mixed; boundary=changeset_1",
    "",
    put("1", 1),
    put("2", 2),
  ];
  const reply = await send([...lines, "--changeset_1--", "--batch_b--"].join("\n"));

  expect(reply.text.match(/HTTP\/1\.1 204 No Content/g)).toHaveLength(2);
  expect(await inner.get("Things", { partitionKey: "py", rowKey: "2" })).toMatchObject({ A: 1 });
});

test("a table that is called like the account is reached from the account's root", async () => {
  await inner.createTable(server.account);

  const reply = await send(batch(change(`POST /${server.account}`, '{"PartitionKey":"b","RowKey":"own"}')));

  expect(reply.text).toMatch(/HTTP\/1\.1 201/);
  expect(await inner.get(server.account, { partitionKey: "b", rowKey: "own" })).toBeDefined();
});

test("our own client writes transactions through a proxy that names another host", async () => {
  const proxy = createServer((message, response) => {
    const headers = { ...message.headers, host: `127.0.0.1:${server.port}` };
    const forward = request(
      { port: server.port, path: message.url, method: message.method, headers },
      (reply) => {
        response.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(response);
      },
    );
    message.pipe(forward);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  await using storage = await openStorage(server.connectionString.replace(`:${server.port}/`, `:${port}/`));

  await storage.transact("Things", [
    { type: "insert", entity: { PartitionKey: "proxied", RowKey: "1" } },
    { type: "insert", entity: { PartitionKey: "proxied", RowKey: "2" } },
  ]);

  expect(await inner.get("Things", { partitionKey: "proxied", rowKey: "2" })).toBeDefined();
  proxy.close();
  proxy.closeAllConnections();
});

describe("the refusal of a part is written as the part asked for", () => {
  const json = /"odata\.error":\{"code":"(\w+)"/;
  const xml = /<code>(\w+)<\/code>/;
  const sendAs = (accept: string, parts: string): ReturnType<Ask> =>
    ask("/$batch", {
      method: "POST",
      body: parts,
      headers: { "content-type": "multipart/mixed; boundary=batch_b", accept, "x-ms-version": "2015-07-08" },
    });
  const part = (line: string, accept: string, body = ""): string =>
    `--c\r\nContent-Type: application/http\r\n\r\n${line} HTTP/1.1\r\n${accept}Content-Type: application/json\r\n\r\n${body}\r\n`;
  const row = '{"PartitionKey":"b","RowKey":"form"}';
  beforeAll(() =>
    inner.write("Things", { type: "upsert-replace", entity: { PartitionKey: "b", RowKey: "form" } }),
  );

  test.each([
    ["by the storage", "POST /Things", row, "EntityAlreadyExists"],
    ["for its body", "POST /Things", "{", "InvalidInput"],
    ["for its address", "POST /a/b/c", row, "InvalidUri"],
    ["for its method", "POST /Tables", row, "UnsupportedHttpVerb"],
  ])("refused %s", async (_by, line, body, code) => {
    const inJson = await sendAs(
      "application/atom+xml",
      batch(part(line, "Accept: application/json\r\n", body)),
    );
    const inXml = await sendAs(
      "application/json",
      batch(part(line, "Accept: application/atom+xml\r\n", body)),
    );
    const asOuter = await sendAs("application/json", batch(part(line, "", body)));
    const byFormat = await sendAs(
      "application/atom+xml",
      batch(part(`${line}?$format=application/json`, "", body)),
    );

    expect(json.exec(inJson.text)?.[1]).toBe(code);
    expect(xml.exec(inXml.text)?.[1]).toBe(code);
    expect(json.exec(asOuter.text)?.[1]).toBe(code);
    expect(json.exec(byFormat.text)?.[1]).toBe(code);
  });
});

describe("a batch of one read", () => {
  const read = (path: string): string =>
    `--batch_b\r\nContent-Type: application/http\r\n\r\nGET ${path} HTTP/1.1\r\nAccept: application/json;odata=nometadata\r\n\r\n\r\n--batch_b--\r\n`;

  test("answers with the entity", async () => {
    await inner.write("Things", { type: "upsert-replace", entity: { PartitionKey: "b", RowKey: "read" } });
    const reply = await send(read("/Things(PartitionKey='b',RowKey='read')"));

    expect(reply.text).toMatch(/HTTP\/1\.1 200 OK/);
    expect(reply.text).toContain('"RowKey":"read"');
  });

  test.each([
    ["/Things(PartitionKey='b',RowKey='nobody')", 404, "ResourceNotFound"],
    ["/Nowhere()", 404, "TableNotFound"],
    ["/Things()?$filter=A", 200, undefined],
    ["/Things()?$filter=A%20eq", 400, "InvalidInput"],
    ["/Tables", 400, "InvalidInput"],
    ["/a/b", 400, "InvalidUri"],
  ])("of %s answers %d, and with its index before the message of a refusal", async (path, status, code) => {
    const reply = await send(read(path));

    expect(reply.status).toBe(202);
    expect(reply.text).toContain(`HTTP/1.1 ${status} `);
    const [, found, index] =
      /"code":"(\w+)","message":\{"lang":"en-US","value":"(\d+):/.exec(reply.text) ?? [];
    expect([found, index]).toEqual([code, code === undefined ? undefined : "0"]);
  });
});
