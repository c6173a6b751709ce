import { openStorage, type TableStorage } from "@partita/core";
import { isOverPostgres } from "@partita/test-support/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTableServer, type TableServer } from "../src/index.ts";
import { type Ask, asker, codeIn } from "./ask.ts";

// What the server says on the wire, header by header, to clients that are not ours.

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

const insert = (body: string, headers: Readonly<Record<string, string>> = {}): ReturnType<Ask> =>
  ask("/Things", { method: "POST", body, headers });
const stored = (rowKey: string): ReturnType<TableStorage["get"]> =>
  inner.get("Things", { partitionKey: "p", rowKey });
describe("odata.metadata names what was selected, in the order of the request", () => {
  test.each([
    ["", ""],
    ["$select=baz,PartitionKey,RowKey", "&$select=baz,PartitionKey,RowKey"],
    ["$select=RowKey,value1", "&$select=RowKey,value1"],
    ["$select=B,A,B", "&$select=B,A"],
    ["$select=*", ""],
  ])("%j: %j", async (query, selection) => {
    await inner.write("Things", { type: "upsert-replace", entity: { PartitionKey: "s", RowKey: "r", B: 1 } });
    const one = "/Things(PartitionKey='s',RowKey='r')";
    for (const level of ["minimalmetadata", "fullmetadata", "nometadata"]) {
      const headers = { accept: `application/json;odata=${level}` };
      const contexts = [one, "/Things()"].map(async (path) => {
        const { text } = await ask(`${path}?${query}`, { headers });
        return (JSON.parse(text) as Record<string, unknown>)["odata.metadata"];
      });
      const context = `${server.url}/$metadata#Things`;
      expect(await Promise.all(contexts)).toEqual(
        level === "nometadata"
          ? [undefined, undefined]
          : [`${context}/@Element${selection}`, `${context}${selection}`],
      );
    }
  });
});

describe("a body in JSON", () => {
  test("tells types by annotations before or after, by points and exponents, in any spacing", async () => {
    const body = `{ "RowKey" : "types", "L":"5", "L@odata.type":"Edm.Int64", "PartitionKey":"p",
      "D": 7.0 , "E": 1e3, "F":-0.0, "I":7, "G@odata.type":"Edm.Double","G":7, "N":null, "T@odata.type":"Edm.DateTime","T":"2020-01-01T00:00:00" }`;
    const response = await insert(body);
    expect(response.status).toBe(201);
    expect(await stored("types")).toMatchObject({
      "L@odata.type": "Edm.Int64",
      L: "5",
      "D@odata.type": "Edm.Double",
      D: 7,
      "E@odata.type": "Edm.Double",
      E: 1000,
      F: "-0.0",
      I: 7,
      "G@odata.type": "Edm.Double",
      T: "2020-01-01T00:00:00Z",
    });
    expect(await stored("types")).not.toHaveProperty("N");
    expect(response.text).toContain('"D":7.0');
    expect(response.text).toContain('"L@odata.type":"Edm.Int64"');
    expect(response.text).not.toContain("Timestamp@odata.type");
  });

  test.each([
    ['{"PartitionKey":"p"}', "PropertiesNeedValue"],
    ['{"PartitionKey":"p","RowKey":null}', "PropertiesNeedValue"],
    ['{"PartitionKey":"p","RowKey":5}', "InvalidInput"],
    ['{"PartitionKey":"p","RowKey":"x","A":1,"A":2}', "DuplicatePropertiesSpecified"],
    ['{"PartitionKey":"p","RowKey":"x","A":[1]}', "InvalidInput"],
    ['{"PartitionKey":"p","RowKey":"x","A":{}}', "InvalidInput"],
    ['{"PartitionKey":"p","RowKey":"x","A":1e400}', "InvalidInput"],
    ['{"PartitionKey":"p","RowKey":"x","A@odata.type":"Edm.Double","A":1e999}', "InvalidInput"],
    ['{"PartitionKey":"p","RowKey":"x","A@odata.type":"Edm.Double","A":"-1e999"}', "InvalidInput"],
    ['{"PartitionKey":"p","RowKey":"x","A":"\\ud800"}', "InvalidInput"],
    ['{"PartitionKey":"p","RowKey":"\\udc00","A":1}', "OutOfRangeInput"],
    ['{"PartitionKey":"p","RowKey":"x","a@b":1}', "PropertyNameInvalid"],
    ['{"PartitionKey":"p","RowKey":"x","a-b":1}', "PropertyNameInvalid"],
    ['{"PartitionKey":"p","RowKey":"x","A@odata.type":7,"A":1}', "InvalidInput"],
    ['{"PartitionKey":"p","RowKey":"x","A@odata.type":"Edm.Guid","A":"no"}', "InvalidInput"],
    [
      '{"PartitionKey":"p","RowKey":"x","T@odata.type":"Edm.DateTime","T":"1600-01-01T00:00:00Z"}',
      "OutOfRangeInput",
    ],
    ['{"PartitionKey":"p","RowKey":"a/b"}', "OutOfRangeInput"],
    ["[1]", "InvalidInput"],
    ["", "InvalidInput"],
  ])("%s is refused", async (body, code) => {
    const response = await insert(body);
    expect([response.status, codeIn(response.text)]).toEqual([400, code]);
    expect(await stored("x")).toBeUndefined();
  });
});

test("Prefer decides what an insert answers with", async () => {
  const body = (rowKey: string): string => `{"PartitionKey":"p","RowKey":"${rowKey}"}`;
  const without = await insert(body("no"), { prefer: "return-no-content" });
  expect([without.status, without.headers.get("preference-applied"), without.text]).toEqual([
    204,
    "return-no-content",
    "",
  ]);
  const withContent = await insert(body("yes"), { prefer: "return-content" });
  expect([withContent.status, withContent.headers.get("preference-applied")]).toEqual([
    201,
    "return-content",
  ]);
  for (const response of [without, withContent]) {
    expect(response.headers.get("etag")).toMatch(isOverPostgres ? /^W\/"\d+-\d+"$/ : /^W\/"datetime'/);
    expect(response.headers.get("location")).toBe(response.headers.get("dataserviceid"));
    expect(response.headers.get("x-ms-version")).toBe("2019-02-02");
    expect(response.headers.get("dataserviceversion")).toBe("3.0;");
    expect(response.headers.get("x-ms-request-id")).toMatch(/^[\w-]{36}$/);
  }
});

test("If-Match: the whole matrix", async () => {
  const at = "/Things(PartitionKey='p',RowKey='match')";
  const write = async (method: string, etag?: string): Promise<number> => {
    const body = method === "DELETE" ? {} : { body: '{"A":1}' };
    return (await ask(at, { method, ...body, headers: etag === undefined ? {} : { "if-match": etag } }))
      .status;
  };
  const old = "W/\"datetime'2000-01-01T00%3A00%3A00.0000000Z'\"";
  for (const method of ["PUT", "MERGE", "PATCH"]) {
    expect([await write(method, "*"), await write(method, old)]).toEqual([404, 404]);
    expect(await write(method)).toBe(204);
    const etag = (await stored("match"))?.["odata.etag"] ?? "";
    expect([await write(method, old), await write(method, etag), await write(method, "*")]).toEqual([
      412, 204, 204,
    ]);
    for (const wrong of ["nonsense", etag.slice(2), `${etag},${etag}`, "W/*", ""])
      expect([wrong, await write(method, wrong)]).toEqual([wrong, 400]);
    expect((await ask(at, { method, body: "{}", headers: { "if-none-match": "*" } })).status).toBe(400);
    expect([
      await write("DELETE"),
      await write("DELETE", old),
      await write("DELETE", "*"),
      await write("DELETE", "*"),
    ]).toEqual([400, 412, 204, 404]);
  }
});

test("a strong ETag is refused for what it is, also where a weak one would not match", async () => {
  await insert('{"PartitionKey":"p","RowKey":"strong"}');
  const at = "/Things(PartitionKey='p',RowKey='strong')";
  const remove = (etag: string): ReturnType<Ask> =>
    ask(at, { method: "DELETE", headers: { "if-match": etag } });

  const strong = await remove('"0x5B168C7B6E589D2"');
  const weak = await remove('W/"0x5B168C7B6E589D2"');

  expect([strong.status, codeIn(strong.text)]).toEqual([400, "InvalidInput"]);
  expect([weak.status, codeIn(weak.text)]).toEqual([412, "UpdateConditionNotSatisfied"]);
});

test.each(["*", 'W/"x"', '"x"'])("an insert under the condition If-Match: %s is refused", async (etag) => {
  const response = await insert('{"PartitionKey":"p","RowKey":"conditional"}', { "if-match": etag });

  expect([response.status, codeIn(response.text)]).toEqual([400, "InvalidInput"]);
  expect(await stored("conditional")).toBeUndefined();
});

test("an insert if nothing is there is an insert", async () => {
  const body = '{"PartitionKey":"p","RowKey":"none-match"}';

  expect((await insert(body, { "if-none-match": "*" })).status).toBe(201);
  expect((await insert(body, { "if-none-match": "*" })).status).toBe(409);
  expect((await insert(body, { "if-none-match": 'W/"x"' })).status).toBe(400);
});

test("$top=0 asks for no rows, and gets none", async () => {
  await insert('{"PartitionKey":"p","RowKey":"top"}');
  const rows = await ask("/Things()?$top=0");
  const tables = await ask("/Tables?$top=0");

  for (const response of [rows, tables]) {
    expect([response.status, (JSON.parse(response.text) as { value: unknown }).value]).toEqual([200, []]);
    expect([...response.headers.keys()].filter((name) => name.includes("continuation"))).toEqual([]);
  }
  expect((await ask("/Nowhere()?$top=0")).status).toBe(404);
});

test("one slash at the end of a path does not matter", async () => {
  await insert('{"PartitionKey":"p","RowKey":"slash"}');
  for (const path of ["/Things/", "/Things()/", "/Tables/", "/Tables('Things')/"])
    expect([path, (await ask(path)).status]).toEqual([path, 200]);
  const one = await ask("/Things(PartitionKey='p',RowKey='slash')/");
  expect(JSON.parse(one.text)).toMatchObject({ RowKey: "slash" });
  const added = await ask("/Things/", { method: "POST", body: '{"PartitionKey":"p","RowKey":"slash2"}' });
  expect(added.status).toBe(201);

  for (const path of ["/Things//", "//Things", "/Things%2F", "//"])
    expect([path, codeIn((await ask(path)).text)]).toEqual([path, "InvalidUri"]);
});

test("selected properties that are missing are null, and nothing else is sent", async () => {
  await insert('{"PartitionKey":"s","RowKey":"1","A":1,"B":2}');
  const response = await ask("/Things()?$filter=PartitionKey%20eq%20's'&$select=A,None,RowKey");
  const [entity] = (JSON.parse(response.text) as { value: Record<string, unknown>[] }).value;
  expect({ ...entity, "odata.etag": "" }).toEqual({ "odata.etag": "", A: 1, None: null, RowKey: "1" });
});

test.each([
  ["false", []],
  ["true", ["1", "2"]],
  ["True and RowKey eq '2'", ["2"]],
  ["not false", ["1", "2"]],
  ["not (TRUE)", []],
  ["FALSE or Flag eq True", ["1"]],
  ["PartitionKey eq 'c' and false", []],
])("the filter %s finds %j", async (filter, found) => {
  await inner.write("Things", {
    type: "upsert-replace",
    entity: { PartitionKey: "c", RowKey: "1", Flag: true },
  });
  await inner.write("Things", { type: "upsert-replace", entity: { PartitionKey: "c", RowKey: "2" } });
  const response = await ask(
    `/Things()?$filter=${encodeURIComponent(`(${filter}) and PartitionKey eq 'c'`)}&$select=RowKey`,
  );

  const { value } = JSON.parse(response.text) as { value: readonly { RowKey: string }[] };
  expect([response.status, value.map(({ RowKey }) => RowKey)]).toEqual([200, found]);
});

test.each([
  ["$top=-1", 400, "InvalidInput"],
  ["$top=1.5", 400, "InvalidInput"],
  ["$top=1001", 400, "InvalidInput"],
  ["$orderby=A", 501, "NotImplemented"],
  ["$filter=startswith(A,'x')", 501, "NotImplemented"],
  ["$filter=A%20eq%20null", 400, "InvalidInput"],
  ["$filter=A%20eq", 400, "InvalidInput"],
  ["NextPartitionKey=nonsense", 400, "InvalidInput"],
  ["$filter=A%20eq%201&$filter=B%20eq%201", 400, "InvalidQueryParameterValue"],
])("a query with %s is refused", async (query, status, code) => {
  const response = await ask(`/Things()?${query}`);
  expect([response.status, codeIn(response.text)]).toEqual([status, code]);
});

describe("formats and versions", () => {
  const at = "/Things()?$top=1";
  test.each([
    ["2019-02-02", "application/json;odata=fullmetadata", 200, "odata=fullmetadata"],
    ["2019-02-02", "application/json;odata=nometadata", 200, "odata=nometadata"],
    ["2019-02-02", "*/*", 200, "odata=minimalmetadata"],
    ["2019-02-02", "application/xml, */*", 200, "odata=minimalmetadata"],
    ["2015-07-08", "application/atom+xml", 200, "application/atom+xml"],
    ["2011-08-18", "application/atom+xml,application/json", 200, "application/atom+xml"],
    ["2013-08-15", "application/json;q=0, application/atom+xml", 200, "application/atom+xml"],
    ["2019-02-02", "application/atom+xml", 415, "AtomFormatNotSupported"],
    ["2011-08-18", "application/json", 415, "JsonFormatNotSupported"],
    ["2019-02-02", "application/json;odata=verbose", 415, "JsonVerboseFormatNotSupported"],
    ["2019-02-02", "image/png", 415, "MediaTypeNotSupported"],
  ])("version %s, Accept %s: %d %s", async (version, accept, status, reported) => {
    const response = await ask(at, { headers: { "x-ms-version": version, accept } });
    expect(response.status).toBe(status);
    expect(status === 200 ? response.headers.get("content-type") : codeIn(response.text)).toContain(reported);
  });

  test.each(["banana", "2014-13-45", "2099-01-01"])("version %s is none", async (version) => {
    const response = await ask(at, { headers: { "x-ms-version": version } });
    expect([response.status, codeIn(response.text)]).toEqual([400, "InvalidHeaderValue"]);
  });

  test("$format goes before Accept", async () => {
    const response = await ask(`${at}&$format=application/json;odata=nometadata`);
    expect(response.headers.get("content-type")).toContain("nometadata");
  });
});

test("methods may be tunnelled, one at a time and through POST only", async () => {
  const at = "/Things(PartitionKey='p',RowKey='tunnel')";
  const tunnel = (method: string, name: string): ReturnType<Ask> =>
    ask(at, { method, body: '{"A":1}', headers: { "x-http-method": name } });
  expect((await tunnel("POST", "PUT")).status).toBe(204);
  expect((await tunnel("POST", "MERGE")).status).toBe(204);
  expect(codeIn((await tunnel("PUT", "MERGE")).text)).toBe("XMethodNotUsingPost");
  expect(codeIn((await tunnel("POST", "GET")).text)).toBe("XMethodIncorrectValue");
  expect(codeIn((await tunnel("POST", "PUT,MERGE")).text)).toBe("XMethodIncorrectCount");
});

test("errors are written as they were asked for", async () => {
  const missing = "/Things(PartitionKey='p',RowKey='nobody')";
  expect(JSON.parse((await ask(missing)).text)).toMatchObject({
    "odata.error": { code: "ResourceNotFound" },
  });
  const atom = { accept: "application/atom+xml", "x-ms-version": "2015-07-08" };
  expect((await ask(missing, { headers: atom })).text).toMatch(
    /<error xmlns="[^"]+"><code>ResourceNotFound<\/code>/,
  );
  expect((await ask("/Nowhere?comp=acl")).text).toMatch(/<Error><Code>\w+<\/Code>/);
});

test("pages of other origins are answered by rule only", async () => {
  const origin = { origin: "https://example.org", "access-control-request-method": "GET" };
  expect((await ask("/Things", { method: "OPTIONS", headers: origin })).status).toBe(403);
  await ask("/?restype=service&comp=properties", {
    method: "PUT",
    body: "<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>https://example.org</AllowedOrigins><AllowedMethods>GET</AllowedMethods><AllowedHeaders>x-ms-*</AllowedHeaders><ExposedHeaders>etag</ExposedHeaders><MaxAgeInSeconds>60</MaxAgeInSeconds></CorsRule></Cors></StorageServiceProperties>",
  });
  const allowed = await ask("/Things", {
    method: "OPTIONS",
    headers: { ...origin, "access-control-request-headers": "x-ms-date" },
  });
  expect([
    allowed.status,
    allowed.headers.get("access-control-allow-origin"),
    allowed.headers.get("access-control-max-age"),
  ]).toEqual([200, "https://example.org", "60"]);
  expect(
    (
      await ask("/Things", {
        method: "OPTIONS",
        headers: { ...origin, "access-control-request-method": "PUT" },
      })
    ).status,
  ).toBe(403);
  expect(
    (await ask("/Things()", { headers: { origin: "https://example.org" } })).headers.get(
      "access-control-expose-headers",
    ),
  ).toBe("etag");
  expect(
    (await ask("/Things()", { headers: { origin: "https://evil.org" } })).headers.get(
      "access-control-allow-origin",
    ),
  ).toBeNull();
});
