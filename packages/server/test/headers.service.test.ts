import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { openStorage, type TableStorage } from "@partita/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTableServer, type TableServer } from "../src/index.ts";
import { asker, codeIn, fullSas } from "./ask.ts";

let server: TableServer;
let storage: TableStorage;
beforeAll(async () => {
  server = await startTableServer({ pageSize: 1 });
  storage = await openStorage(server.connectionString);
  for (const table of ["Others", "Things"]) await storage.createTable(table);
  for (const RowKey of ["1", "2"])
    await storage.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey } });
});
afterAll(async () => {
  await storage.close();
  await server.close();
});

/** The names of an answer's headers as they came, in their letters. */
async function namesOf(path: string, method = "GET", body = ""): Promise<readonly string[]> {
  const headers = { accept: "application/json", "content-type": "application/json" };
  const asked = request(`${server.url}${path}?${fullSas(server)}`, { method, headers }).end(body);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  await response.resume().toArray();
  return response.rawHeaders.filter((_, at) => at % 2 === 0);
}

describe("headers are spelt as the service spells them", () => {
  test("those of a query that goes on", async () => {
    const names = await namesOf("/Things()");

    expect(names).toContain("x-ms-continuation-NextPartitionKey");
    expect(names).toContain("x-ms-continuation-NextRowKey");
    expect(names).toContain("Content-Type");
  });

  test("that of a list of tables that goes on", async () => {
    expect(await namesOf("/Tables")).toContain("x-ms-continuation-NextTableName");
  });

  test("those of a write", async () => {
    const names = await namesOf("/Things", "POST", '{"PartitionKey":"p","RowKey":"3"}');

    for (const name of ["ETag", "Location", "DataServiceId", "DataServiceVersion", "x-ms-request-id", "Date"])
      expect(names).toContain(name);
  });
});

test("every answer has the id of its request, which shows clients that a service answered", async () => {
  const ask = asker(server);
  const batch = { "content-type": "multipart/mixed; boundary=b" };
  const body = '{"PartitionKey":"p","RowKey":"id"}';
  const responses = [
    await ask("/Things"),
    await ask("/Things", { method: "POST", body }),
    await ask("/Things", { method: "POST", body }),
    await ask("/Things(PartitionKey='p',RowKey='id')", { method: "DELETE", headers: { "if-match": "*" } }),
    await ask("/$batch", { method: "POST", body: "--b--", headers: batch }),
    await ask("/Things", { method: "POST", body: "x".repeat(5 * 1024 * 1024) }),
    await ask("/Things", { method: "OPTIONS" }),
    await ask("/Nowhere"),
    await ask("/"),
  ];

  expect(responses.map(({ status }) => status)).toEqual([200, 201, 409, 204, 400, 413, 400, 404, 400]);
  for (const { headers } of responses) expect(headers.get("x-ms-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

describe("Vary says which answers depend on the page that asks", () => {
  const rule = (origins: string, methods = "GET,POST"): string =>
    `<CorsRule><AllowedOrigins>${origins}</AllowedOrigins><AllowedMethods>${methods}</AllowedMethods><AllowedHeaders>*</AllowedHeaders><ExposedHeaders>etag</ExposedHeaders><MaxAgeInSeconds>60</MaxAgeInSeconds></CorsRule>`;
  const page = "https://example.org";

  // Source: learn.microsoft.com "CORS support for Azure Storage", the table of GET and HEAD requests. Without a page, the
  // service sends the headers too. The server does not read its rules for them: caches do not reuse a response that
  // says `no-cache`.
  test.each<
    [rules: string, origin: string | undefined, method: string, varies: boolean, allowed: string | null]
  >([
    ["", undefined, "GET", false, null],
    [rule(page), undefined, "GET", false, null],
    [rule("*"), undefined, "GET", false, null],
    ["", page, "GET", false, null],
    [rule(page), page, "GET", true, page],
    [rule("https://other.org"), page, "GET", true, null],
    [rule(page, "PUT"), page, "GET", true, null],
    [rule("*"), page, "GET", false, "*"],
    [rule(page), page, "POST", false, page],
    [rule(page), undefined, "POST", false, null],
    [rule("*"), undefined, "POST", false, null],
  ])("rules %j, page %j, %s: %s", async (rules, origin, method, varies, allowed) => {
    const ask = asker(server);
    const set = await ask("/?restype=service&comp=properties", {
      method: "PUT",
      body: `<StorageServiceProperties><Cors>${rules}</Cors></StorageServiceProperties>`,
    });
    expect(set.status).toBe(202);

    // Refusals depend on it no less.
    for (const path of ["/Things", "/Nowhere"]) {
      const { headers } = await ask(path, {
        method,
        ...(method === "POST" && { body: "{}" }),
        headers: origin === undefined ? {} : { origin },
      });
      const reported = ["vary", "access-control-allow-origin", "access-control-expose-headers"];
      expect(reported.map((name) => headers.get(name))).toEqual([
        varies ? "Origin" : null,
        allowed,
        allowed === null ? null : "etag",
      ]);
    }
  });
});

describe("a body of more than 4 MiB", () => {
  const limit = 4 * 1024 * 1024;
  /** An entity of so many bytes of JSON, which is too large in any case. */
  const entity = (bytes: number): string => {
    const [head, tail] = ['{"PartitionKey":"p","RowKey":"long","A":"', '"}'];
    return head + "x".repeat(bytes - head.length - tail.length) + tail;
  };
  const types = { accept: "application/json", "content-type": "application/json" };

  test("is refused as such, by its length or as it comes; one of just that is read", async () => {
    const ask = asker(server);
    const post = (bytes: number): ReturnType<typeof ask> =>
      ask("/Things", { method: "POST", body: entity(bytes) });

    expect(codeIn((await post(limit)).text)).toBe("PropertyValueTooLarge");
    for (const bytes of [limit + 1, 3 * limit]) {
      const response = await post(bytes);
      expect([response.status, codeIn(response.text)]).toEqual([413, "RequestBodyTooLarge"]);
    }
    const chunked = await fetch(`${server.url}/Things?${fullSas(server)}`, {
      method: "POST",
      headers: types,
      body: new Blob([entity(2 * limit)]).stream(),
      duplex: "half",
    } as RequestInit);
    expect([chunked.status, codeIn(await chunked.text())]).toEqual([413, "RequestBodyTooLarge"]);
  });

  test("of a transaction is refused to our own client in so many words", async () => {
    const rows = Array.from({ length: 90 }, (_, i) => ({
      type: "insert" as const,
      entity: { PartitionKey: "long", RowKey: String(i), A: "x".repeat(32_000), B: "y".repeat(20_000) },
    }));

    await expect(storage.transact("Things", rows)).rejects.toMatchObject({
      status: 413,
      serviceCode: "RequestBodyTooLarge",
      applied: "no",
    });
    expect(await storage.get("Things", { partitionKey: "long", rowKey: "0" })).toBeUndefined();
  });
});
