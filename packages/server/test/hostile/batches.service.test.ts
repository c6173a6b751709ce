/* oxlint-disable vitest/no-conditional-expect -- of two right ends, each has its own checks */
import { openStorage, type TableStorage } from "@partita/core";
import { accountSas, tableSas } from "@partita/account";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTableServer, type TableServer } from "../../src/index.ts";

let server: TableServer;
let storage: TableStorage;
let sas: string;
const kept = { PartitionKey: "p", RowKey: "kept", secret: "canary" };
beforeAll(async () => {
  server = await startTableServer();
  storage = await openStorage(server.connectionString);
  for (const table of ["Things", "Others"]) {
    await storage.createTable(table);
    await storage.write(table, { type: "insert", entity: kept });
  }
  sas = accountSas(
    { accountName: server.account, accountKey: server.key },
    { permissions: "rwdlacu", expiresAt: new Date(Date.now() + 600_000), protocol: "https,http" },
  );
});
afterAll(async () => {
  await storage.close();
  await server.close();
});

interface Part {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: string;
  readonly body?: string;
  readonly outer?: string;
  readonly version?: string;
}

const entity = (rowKey: string, partitionKey = "p"): string =>
  JSON.stringify({ PartitionKey: partitionKey, RowKey: rowKey });
const add = (rowKey: string, change: Part = {}): Part => ({ body: entity(rowKey), ...change });
const row = (rowKey: string, partitionKey = "p"): string =>
  `${server.url}/Things(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;

const printPart = (part: Part): string =>
  `${part.outer ?? "Content-Type: application/http\r\nContent-Transfer-Encoding: binary"}\r\n\r\n` +
  `${part.method ?? "POST"} ${part.url ?? `${server.url}/Things`} ${part.version ?? "HTTP/1.1"}\r\n` +
  `${part.headers ?? "Content-Type: application/json\r\nAccept: application/json\r\nPrefer: return-no-content"}\r\n\r\n${part.body ?? ""}`;

const inChangeset = (parts: readonly string[], boundary = "changeset_c"): string =>
  `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n` +
  `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join("")}--${boundary}--\r\n`;
const inBatch = (parts: readonly string[]): string =>
  `${parts.map((part) => `--batch_b\r\n${part}\r\n`).join("")}--batch_b--\r\n`;
const changes = (...parts: readonly Part[]): string => inBatch([inChangeset(parts.map(printPart))]);

async function send(
  body: string,
  contentType = "multipart/mixed; boundary=batch_b",
  query = sas,
): Promise<{ status: number; inner: number[]; text: string }> {
  const response = await fetch(`${server.url}/$batch?${query}`, {
    method: "POST",
    body,
    headers: { "content-type": contentType, accept: "application/json", "x-ms-version": "2019-02-02" },
  });
  const text = await response.text();
  const inner = [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((found) => Number(found[1]));
  return { status: response.status, inner, text };
}

test("the batches that these are made of are good ones", async () => {
  expect(await send(changes(add("1"), add("2")))).toMatchObject({ status: 202, inner: [204, 204] });
  for (const rowKey of ["1", "2"])
    await storage.write("Things", { type: "delete", key: { partitionKey: "p", rowKey }, etag: "*" });
});

const hundred = Array.from({ length: 100 }, (_, i) => add(String(i)));

/** Batches that the protocol does not have, and what an attacker would like them to do. */
const batches: [name: string, body: () => string, contentType?: string][] = [
  ["a batch in a batch", () => inBatch([changes(add("1"))])],
  [
    "a batch as an operation",
    () => changes(add("1"), { url: `${server.url}/$batch`, body: changes(add("2")) }),
  ],
  ["a changeset in a changeset", () => inBatch([inChangeset([inChangeset([printPart(add("1"))], "inner")])])],
  [
    "two changesets",
    () => inBatch([inChangeset([printPart(add("1"))]), inChangeset([printPart(add("2"))], "other")]),
  ],
  [
    "a changeset and a read",
    () => inBatch([inChangeset([printPart(add("1"))]), printPart({ method: "GET", url: row("kept") })]),
  ],
  [
    "two reads",
    () =>
      inBatch([
        printPart({ method: "GET", url: row("kept") }),
        printPart({ method: "GET", url: row("kept") }),
      ]),
  ],
  ["a read in a changeset", () => changes(add("1"), { method: "GET", url: row("kept") })],
  ["a write outside of a changeset", () => inBatch([printPart(add("1"))])],
  ["101 operations", () => changes(...hundred, add("100"))],
  ["10,000 operations", () => changes(...Array.from({ length: 10_000 }, (_, i) => add(String(i))))],
  ["no operation", () => inBatch([inChangeset([])])],
  ["no part", () => inBatch([])],
  ["nothing", () => ""],
  ["two tables", () => changes(add("1"), add("2", { url: `${server.url}/Others` }))],
  [
    "two tables by a longer path",
    () => changes(add("1"), add("2", { url: `${server.url}/Things/../Others` })),
  ],
  ["two partitions", () => changes(add("1"), { body: entity("2", "q") })],
  [
    "two partitions by their addresses",
    () => changes(add("1"), { method: "PUT", url: row("2", "q"), body: "{}" }),
  ],
  ["the same row twice", () => changes(add("1"), add("1"))],
  ["the same row by its address", () => changes(add("1"), { method: "MERGE", url: row("1"), body: "{}" })],
  ["a row that is there", () => changes(add("1"), add("kept"))],
  [
    "a reference to another operation",
    () =>
      changes(add("1", { outer: "Content-Type: application/http\r\nContent-ID: 1" }), {
        method: "MERGE",
        url: "$1",
        body: "{}",
      }),
  ],
  [
    "a reference with a path",
    () => changes(add("1"), { method: "DELETE", url: "$1/Things", headers: "If-Match: *" }),
  ],
  [
    "an id that is a list of headers",
    () => changes(add("1", { outer: "Content-Type: application/http\r\nContent-ID: 1\r\nContent-ID: 2" })),
  ],
  [
    "another account",
    () => changes(add("1"), add("2", { url: server.url.replace(server.account, "other") + "/Things" })),
  ],
  ["another account's secondary", () => changes(add("1", { url: `${server.url}-secondary/Things` }))],
  ["another host's account", () => changes(add("1", { url: "http://evil.example/other/Things" }))],
  ["a host with user", () => changes(add("1", { url: server.url.replace("//", "//evil@") + "/Things" }))],
  [
    "a host without scheme",
    () => changes(add("1", { url: `//127.0.0.1:${server.port}/${server.account}/Things` })),
  ],
  ["another scheme", () => changes(add("1", { url: server.url.replace("http:", "ftp:") + "/Things" }))],
  ["a file", () => changes(add("1", { url: "file:///etc/passwd" }))],
  ["a table that is created", () => changes({ url: `${server.url}/Tables`, body: '{"TableName":"Evil"}' })],
  [
    "a table that is dropped",
    () => changes(add("1"), { method: "DELETE", url: `${server.url}/Tables('Others')` }),
  ],
  ["policies that are set", () => changes({ method: "PUT", url: `${server.url}/Things?comp=acl`, body: "" })],
  [
    "service properties that are set",
    () => changes({ method: "PUT", url: `${server.url}/?restype=service&comp=properties`, body: "" }),
  ],
  ["a table that is not there", () => changes(add("1", { url: `${server.url}/Evil` }))],
  ["a method that is none", () => changes(add("1"), { method: "EVIL", url: row("kept") })],
  ["a method in lower case", () => changes({ method: "post", body: entity("1") })],
  ["OPTIONS", () => changes({ method: "OPTIONS", url: row("kept") })],
  [
    "a method over another one",
    () =>
      changes({ method: "PUT", url: row("kept"), headers: "X-HTTP-Method: DELETE\r\nIf-Match: *", body: "" }),
  ],
  [
    "a header twice",
    () => changes({ method: "DELETE", url: row("kept"), headers: 'If-Match: W/"other"\r\nIf-Match: *' }),
  ],
  [
    "a header that is no header",
    () => changes(add("1", { headers: "Content-Type: application/json\r\nevil" })),
  ],
  ["a header with a NUL", () => changes({ method: "DELETE", url: row("kept"), headers: 'If-Match: W/"\0"' })],
  ["no version of HTTP", () => changes(add("1", { version: "" }))],
  ["another version of HTTP", () => changes(add("1", { version: "HTTP/1.0" }))],
  ["something after the version", () => changes(add("1", { version: "HTTP/1.1 evil" }))],
  ["a type that is not HTTP", () => changes(add("1", { outer: "Content-Type: text/plain" }))],
  ["no type", () => changes(add("1", { outer: "X-None: 1" }))],
  ["a body that is no JSON", () => changes({ body: "{" })],
  ["a body that is a list", () => changes({ body: `[${entity("1")}]` })],
  [
    "a body with values inside each other",
    () => changes({ body: '{"PartitionKey":"p","RowKey":"1","a":{"b":1}}' }),
  ],
  ["a body of two entities", () => changes({ body: entity("1") + entity("2") })],
  [
    "a key over that of its address",
    () =>
      changes({
        method: "PUT",
        url: row("kept"),
        headers: 'Content-Type: application/json\r\nIf-Match: W/"other"',
        body: entity("other"),
      }),
  ],
  [
    "a value that holds the boundary",
    () =>
      changes({
        body: `{"PartitionKey":"p","RowKey":"1","a":"\r\n--changeset_c\r\n${printPart(add("2"))}"}`,
      }),
  ],
  [
    "an end before its parts",
    () => changes(add("1")).replace("--changeset_c\r\n", "--changeset_c--\r\n--changeset_c\r\n"),
  ],
  [
    "parts after the end",
    () => inBatch([`${inChangeset([printPart(add("1"))])}--changeset_c\r\n${printPart(add("2"))}\r\n`]),
  ],
  ["parts after the batch's end", () => `${changes()}--batch_b\r\n${inChangeset([printPart(add("1"))])}`],
  ["two boundaries", () => changes(add("1")), "multipart/mixed; boundary=batch_b; boundary=other"],
  ["no boundary", () => changes(add("1")), "multipart/mixed"],
  ["an empty boundary", () => changes(add("1")).replaceAll("batch_b", ""), 'multipart/mixed; boundary=""'],
  ["a boundary of spaces", () => changes(add("1")), 'multipart/mixed; boundary=" "'],
  [
    "a boundary of 300",
    () => changes(add("1")).replaceAll("batch_b", "b".repeat(300)),
    `multipart/mixed; boundary=${"b".repeat(300)}`,
  ],
  ["a pattern as boundary", () => changes(add("1")), "multipart/mixed; boundary=batch_."],
  ["another multipart", () => changes(add("1")), "multipart/form-data; boundary=batch_b"],
  ["JSON", () => changes(add("1")), "application/json"],
  ["one boundary for both", () => inBatch([inChangeset([printPart(add("1"))], "batch_b")])],
  [
    "4 MiB and more",
    () =>
      changes(
        ...Array.from({ length: 80 }, (_, i) => ({
          body: JSON.stringify({
            PartitionKey: "p",
            RowKey: String(i),
            a: "x".repeat(32_000),
            b: "x".repeat(22_000),
          }),
        })),
      ),
  ],
  ["a million lines", () => "\r\n".repeat(1_000_000)],
  ["a million boundaries", () => "--batch_b\r\n".repeat(300_000)],
  ["a million dashes", () => "-".repeat(3_000_000)],
];

test.each<[name: string, body: () => string, contentType?: string]>(batches)(
  "a batch with %s changes nothing",
  async (_name, body, contentType) => {
    const { status, inner, text } = await send(body(), contentType);

    expect([202, 400, 403, 404, 405, 413, 415]).toContain(status);
    if (status === 202) {
      expect(inner).toHaveLength(1);
      expect([400, 403, 404, 405, 409, 412, 413, 415, 501]).toContain(inner[0]);
    }
    expect(text).not.toContain("canary");
    for (const table of ["Things", "Others"])
      expect((await storage.query(table, {})).entities).toMatchObject([kept]);
    expect(await storage.listTables()).toEqual(["Others", "Things"]);
  },
);

test.each<[name: string, permissions: string, part: () => Part]>([
  ["an insert without the permission", "r", () => add("b1")],
  [
    "a deletion without the permission",
    "rau",
    () => ({ method: "DELETE", url: row("kept"), headers: "If-Match: *" }),
  ],
  ["an upsert without both permissions", "a", () => ({ method: "PUT", url: row("b1"), body: "{}" })],
  [
    "a deletion as a POST",
    "a",
    () => ({ method: "POST", url: row("kept"), headers: "X-HTTP-Method: DELETE\r\nIf-Match: *" }),
  ],
  ["a row outside of the range", "raud", () => add("z")],
  ["a row outside of the range by its address", "raud", () => ({ method: "PUT", url: row("z"), body: "{}" })],
  [
    "a deletion outside of the range",
    "raud",
    () => ({ method: "DELETE", url: row("kept"), headers: "If-Match: *" }),
  ],
  ["a partition outside of the range", "raud", () => ({ body: entity("b1", "q") })],
  ["another table", "raud", () => add("b1", { url: `${server.url}/Others` })],
  ["another signature in its address", "r", () => add("b1", { url: `${server.url}/Things?sp=raud&sig=x` })],
  [
    "an authorization of its own",
    "r",
    () =>
      add("b1", {
        headers: `Authorization: SharedKey ${server.account}:x\r\nContent-Type: application/json`,
      }),
  ],
])("a signature for part of a table does not cover %s", async (_name, permissions, part) => {
  const narrow = tableSas(
    { accountName: server.account, accountKey: server.key },
    {
      table: "Things",
      permissions,
      expiresAt: new Date(Date.now() + 600_000),
      protocol: "https,http",
      startPartitionKey: "p",
      startRowKey: "b",
      endPartitionKey: "p",
      endRowKey: "c",
    },
  );

  const { status, inner } = await send(changes(part()), undefined, narrow);

  expect([status, inner]).toEqual([202, [403]]);
  expect((await storage.query("Things", {})).entities).toMatchObject([kept]);
  expect((await storage.query("Others", {})).entities).toMatchObject([kept]);
});

test("values hold boundaries, lines and requests without being any", async () => {
  const values = [
    "\r\n--batch_b\r\n",
    "\r\n--batch_b--\r\n",
    "\r\n--changeset_c--\r\n\r\nDELETE /Things HTTP/1.1\r\n\r\n",
    "HTTP/1.1 500 Internal Server Error\r\n\r\n",
    "\u2028--changeset_c--\u2029",
    "\n\n\n--\n",
    "\u0085--changeset_c--\u000b\u000c",
  ];

  await storage.transact(
    "Things",
    values.map((value, i) => ({
      type: "insert",
      entity: { PartitionKey: "values", RowKey: String(i), value },
    })),
  );

  for (const [i, value] of values.entries()) {
    const key = { partitionKey: "values", rowKey: String(i) };
    expect(await storage.get("Things", key)).toMatchObject({ value });
    await storage.write("Things", { type: "delete", key, etag: "*" });
  }
});
