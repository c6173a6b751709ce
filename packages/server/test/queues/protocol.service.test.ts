import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { openStorage, type TableStorage } from "@partita/core";
import { type QueueStorage, tableQueues } from "@partita/queues";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type QueueServer, startQueueServer } from "../../src/index.ts";
import { type AskQueues, messageXml, queueAsker } from "./queue-client.ts";

// What the server says on the wire, also to what no client of ours would send.

let storage: TableStorage;
let stored: QueueStorage;
let server: QueueServer;
let ask: AskQueues;
beforeAll(async () => {
  storage = await openStorage("memory:");
  stored = tableQueues(storage);
  server = await startQueueServer({ storage, account: "acct" });
  ask = queueAsker(server);
  await stored.createQueue("orders");
});
afterAll(async () => {
  await server.close();
  await storage.close();
});
beforeEach(() => stored.clear("orders"));

const messages = "/orders/messages";
const put = (body: string | Buffer, query = ""): ReturnType<AskQueues> =>
  ask(`${messages}${query}`, { method: "POST", body });

describe("an answer", () => {
  test("has the service's headers, and nothing of tables", async () => {
    const headers = { "x-ms-client-request-id": "mine", "x-ms-return-client-request-id": "true" };
    const listed = await ask("/?comp=list", { headers });
    expect(listed.headers).toMatchObject({
      server: "Windows-Azure-Queue/1.0 Microsoft-HTTPAPI/2.0",
      "content-type": "application/xml",
      "x-ms-version": "2020-10-02",
      "x-ms-client-request-id": "mine",
      "x-ms-request-id": expect.stringMatching(/^[\da-f-]{36}$/) as string,
      "cache-control": "no-cache",
    });
    expect(listed.headers).not.toHaveProperty("dataserviceversion");
  });

  test("to a put has the message, in versions that show it", async () => {
    const { status, text } = await put(messageXml("x"));
    expect(status).toBe(201);
    expect(text).toMatch(
      /^<\?xml version="1.0" encoding="utf-8"\?><QueueMessagesList><QueueMessage><MessageId>\w+<\/MessageId><InsertionTime>.{25,26} GMT<\/InsertionTime><ExpirationTime>.* GMT<\/ExpirationTime><PopReceipt>[\w+/=]+<\/PopReceipt><TimeNextVisible>.* GMT<\/TimeNextVisible><\/QueueMessage><\/QueueMessagesList>$/,
    );
    const old = await ask(messages, {
      method: "POST",
      body: messageXml("y"),
      headers: { "x-ms-version": "2015-12-11" },
    });
    expect([old.status, old.text]).toEqual([201, ""]);
  });

  test("to an update has its receipt and time in headers", async () => {
    const { id } = await stored.put("orders", "x");
    const { text } = await ask(messages);
    const receipt = encodeURIComponent(/<PopReceipt>(.*)<\/PopReceipt>/.exec(text)?.[1] ?? "");
    const { status, headers } = await ask(`${messages}/${id}?visibilitytimeout=60&popreceipt=${receipt}`, {
      method: "PUT",
    });
    expect(status).toBe(204);
    expect(headers["x-ms-popreceipt"]).toMatch(/^[\w+/=]+$/);
    expect(headers["x-ms-time-next-visible"]).toMatch(/GMT$/);
  });

  test("to a list shows what was asked, and where it goes on", async () => {
    for (const name of ["page-a", "page-b", "page-c"]) await stored.createQueue(name);
    const { text } = await ask("/?comp=list&prefix=page-&maxresults=2");
    expect(text).toBe(
      `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://127.0.0.1:${server.port}/acct/"><Prefix>page-</Prefix><MaxResults>2</MaxResults><Queues><Queue><Name>page-a</Name></Queue><Queue><Name>page-b</Name></Queue></Queues><NextMarker>page-c</NextMarker></EnumerationResults>`,
    );
    const rest = await ask("/?comp=list&prefix=page-&maxresults=2&marker=page-c");
    expect(rest.text).toContain(
      "<Queues><Queue><Name>page-c</Name></Queue></Queues><NextMarker></NextMarker>",
    );
  });

  test("to HEAD has headers only", async () => {
    await put(messageXml("x"));
    const { status, headers, text } = await ask("/orders?comp=metadata", { method: "HEAD" });
    expect([status, headers["x-ms-approximate-messages-count"], text]).toEqual([200, "1", ""]);
  });
});

test.each([
  ["GET", "/ab", 400, "OutOfRangeInput"],
  ["PUT", "/ab", 400, "OutOfRangeInput"],
  ["PUT", `/${"a".repeat(64)}`, 400, "OutOfRangeInput"],
  ["PUT", "/Orders", 400, "InvalidResourceName"],
  ["PUT", "/a--b", 400, "InvalidResourceName"],
  ["PUT", "/-ab", 400, "InvalidResourceName"],
  ["PUT", "/ab-", 400, "InvalidResourceName"],
  ["PUT", "/a_b", 400, "InvalidResourceName"],
  ["PUT", "/%C3%A9t%C3%A9", 400, "InvalidResourceName"],
  ["PUT", "/a%2Fb", 400, "InvalidResourceName"],
  ["GET", "/orders/news", 400, "InvalidUri"],
  ["GET", "/orders/messages/id/more", 400, "InvalidUri"],
  ["GET", "/orders/messages/%ff", 400, "InvalidUri"],
  ["GET", "/orders", 405, "UnsupportedHttpVerb"],
  ["POST", "/orders", 405, "UnsupportedHttpVerb"],
  ["PATCH", "/orders/messages", 405, "UnsupportedHttpVerb"],
  ["GET", "/orders/messages/id", 405, "UnsupportedHttpVerb"],
  ["DELETE", "/?comp=list", 405, "UnsupportedHttpVerb"],
  ["PUT", "/?restype=service&comp=stats", 405, "UnsupportedHttpVerb"],
  ["PUT", "/orders?comp=nothing", 400, "InvalidQueryParameterValue"],
  ["GET", "/", 400, "InvalidQueryParameterValue"],
  ["GET", "/?comp=properties", 400, "InvalidQueryParameterValue"],
  ["GET", "/?comp=list&comp=list", 400, "InvalidQueryParameterValue"],
  ["GET", "/?comp=list&include=everything", 400, "InvalidQueryParameterValue"],
  ["GET", "/?comp=list&maxresults=0", 400, "OutOfRangeQueryParameterValue"],
  ["GET", "/?comp=list&maxresults=many", 400, "InvalidQueryParameterValue"],
  ["GET", "/?comp=list&marker=%2F..%2F", 400, "InvalidMarker"],
  ["GET", `${messages}?numofmessages=0`, 400, "OutOfRangeQueryParameterValue"],
  ["GET", `${messages}?numofmessages=33`, 400, "OutOfRangeQueryParameterValue"],
  ["GET", `${messages}?numofmessages=1.5`, 400, "InvalidQueryParameterValue"],
  ["GET", `${messages}?peekonly=true&numofmessages=33`, 400, "OutOfRangeQueryParameterValue"],
  ["GET", `${messages}?peekonly=maybe`, 400, "InvalidQueryParameterValue"],
  ["GET", `${messages}?visibilitytimeout=0`, 400, "OutOfRangeQueryParameterValue"],
  ["GET", `${messages}?visibilitytimeout=604801`, 400, "OutOfRangeQueryParameterValue"],
  ["GET", `${messages}?visibilitytimeout=soon`, 400, "InvalidQueryParameterValue"],
  ["PUT", `${messages}/id?visibilitytimeout=0`, 400, "MissingRequiredQueryParameter"],
  ["PUT", `${messages}/id?popreceipt=cmVjZWlwdA%3D%3D`, 400, "MissingRequiredQueryParameter"],
  [
    "PUT",
    `${messages}/id?popreceipt=cmVjZWlwdA%3D%3D&visibilitytimeout=-1`,
    400,
    "OutOfRangeQueryParameterValue",
  ],
  ["DELETE", `${messages}/id`, 400, "MissingRequiredQueryParameter"],
  ["DELETE", `${messages}/id?popreceipt=%00`, 400, "InvalidQueryParameterValue"],
  ["DELETE", `${messages}/id?popreceipt=none`, 400, "InvalidQueryParameterValue"],
  ["DELETE", `${messages}/id?popreceipt=cmVjZWlwdA%3D%3D`, 400, "PopReceiptMismatch"],
  ["GET", "/missing/messages", 404, "QueueNotFound"],
  ["GET", "/missing?comp=metadata", 404, "QueueNotFound"],
  ["GET", "/missing?comp=acl", 404, "QueueNotFound"],
  ["DELETE", "/missing", 404, "QueueNotFound"],
])("%s %s is refused with %i %s", async (method, path, status, code) => {
  const response = await ask(path, { method });

  expect([response.status, response.code]).toEqual([status, code]);
  expect(response.text).toMatch(new RegExp(`<Error><Code>${code}</Code><Message>.*\nRequestId:.*\nTime:`));
});

test.each([
  ["", "no document"],
  ["x", "no XML"],
  ["<QueueMessage>", "an open element"],
  ["<QueueMessage/>", "no text"],
  ["<Message><MessageText>x</MessageText></Message>", "another root"],
  [`<!DOCTYPE a [<!ENTITY b "c">]>${messageXml("&b;")}`, "entities"],
  [messageXml("&nbsp;"), "an unknown entity"],
  [messageXml("bell &#7;"), "a control character by number"],
  [messageXml("bell \u0007"), "a control character"],
  [messageXml("&#xFFFE;"), "a character that is none"],
  [messageXml("&#xD800;"), "half of a pair"],
  [messageXml("&#x110000;"), "a number beyond all"],
  ["<a>".repeat(50_000), "many open elements"],
  ["<![CDATA[".repeat(40_000), "many open sections"],
  [`<QueueMessage>${"<a/>".repeat(50_000)}</QueueMessage>`, "many elements"],
])("a body of %.20j (%s) is refused, and nothing is stored", async (body) => {
  const response = await put(body);

  expect([response.status, response.code]).toEqual([400, "InvalidXmlDocument"]);
  expect(await stored.approximateCount("orders")).toBe(0);
});

test("bytes that are no UTF-8 are refused", async () => {
  const response = await put(
    Buffer.from("<QueueMessage><MessageText>\u00ff</MessageText></QueueMessage>", "latin1"),
  );

  expect([response.status, response.code]).toEqual([400, "InvalidInput"]);
});

test.each([
  [messageXml("<![CDATA[<a>&amp;]]>"), "<a>&amp;"],
  [messageXml("&#13;&#xA;&#x1F600;"), "\r\n😀"],
  [`\uFEFF<?xml version="1.0"?>\n<QueueMessage>\n <MessageText>x</MessageText>\n</QueueMessage>`, "x"],
  [messageXml(""), ""],
  ["<QueueMessage><MessageText/></QueueMessage>", ""],
])("a body of %j is the text %j", async (body, text) => {
  expect((await put(body)).status).toBe(201);
  expect(await stored.peek("orders")).toMatchObject([{ text }]);
});

test.each([
  ["?messagettl=0", "OutOfRangeQueryParameterValue"],
  ["?messagettl=-2", "OutOfRangeQueryParameterValue"],
  ["?messagettl=long", "InvalidQueryParameterValue"],
  ["?visibilitytimeout=604801", "OutOfRangeQueryParameterValue"],
  ["?visibilitytimeout=-1", "OutOfRangeQueryParameterValue"],
  ["?visibilitytimeout=60&messagettl=60", "OutOfRangeQueryParameterValue"],
])("a put with %s is refused", async (query, code) => {
  const response = await put(messageXml("x"), query);
  expect([response.status, response.code]).toEqual([400, code]);
});

test.each(["1", "604800", "2147483647", "2147483648", "9007199254740991", `1${"0".repeat(400)}`, "-1"])(
  "a put with a time to live of %s seconds is accepted",
  async (seconds) => {
    const response = await put(messageXml("x"), `?messagettl=${seconds}`);

    expect(response.status).toBe(201);
    const [peeked] = await stored.peek("orders");
    const year = peeked?.expiresAt?.getUTCFullYear() ?? 9999;
    expect(response.text).toContain(` ${year} `);
    expect(peeked?.expiresAt === undefined).toBe(seconds === "-1" || seconds.length > 11);
  },
);

describe("a queue that is missing is the first thing that a request is told", () => {
  const receipt = Buffer.from("none").toString("base64");
  test.each([
    ["PUT", `/missing/messages/not-an-id?popreceipt=${receipt}&visibilitytimeout=0`, ""],
    ["PUT", "/missing/messages/not-an-id?popreceipt=!&visibilitytimeout=0", ""],
    ["PUT", "/missing/messages/not-an-id", ""],
    ["PUT", `/missing/messages/x?popreceipt=${receipt}&visibilitytimeout=-1`, ""],
    ["PUT", `/missing/messages/x?popreceipt=${receipt}&visibilitytimeout=0`, "no document"],
    ["DELETE", `/missing/messages/not-an-id?popreceipt=${receipt}`, ""],
    ["DELETE", "/missing/messages/not-an-id?popreceipt=!", ""],
    ["DELETE", "/missing/messages/not-an-id", ""],
    ["POST", "/missing/messages", "no document"],
    ["POST", "/missing/messages?messagettl=0", messageXml("x")],
    ["POST", "/missing/messages?visibilitytimeout=long", messageXml("x")],
    ["POST", "/missing/messages", messageXml("x".repeat(65 * 1024))],
    ["GET", "/missing/messages?numofmessages=33", ""],
    ["GET", "/missing/messages?visibilitytimeout=0", ""],
    ["GET", "/missing/messages?peekonly=true&numofmessages=0", ""],
    ["DELETE", "/missing/messages", ""],
    ["DELETE", "/missing", ""],
    ["GET", "/missing?comp=metadata", ""],
    ["PUT", "/missing?comp=metadata", ""],
    ["GET", "/missing?comp=acl", ""],
    ["PUT", "/missing?comp=acl", "no document"],
  ])("%s %s", async (method, path, body) => {
    const headers = path.includes("metadata") ? { "x-ms-meta-1a": "x" } : {};
    const response = await ask(path, { method, headers, ...(body !== "" && { body }) });

    expect([response.status, response.code]).toEqual([404, "QueueNotFound"]);
  });
});

test.each([
  [{ "x-ms-meta-": "x" }, "EmptyMetadataKey"],
  [{ "x-ms-meta-a-b": "x" }, "InvalidMetadata"],
  [{ "x-ms-meta-1a": "x" }, "InvalidMetadata"],
  [{ "x-ms-meta-a": "x".repeat(8192) }, "MetadataTooLarge"],
])("metadata of %.30j is refused with %s", async (headers, code) => {
  for (const path of ["/orders?comp=metadata", "/new-queue"]) {
    const response = await ask(path, { method: "PUT", headers });
    expect([response.status, response.code]).toEqual([400, code]);
  }
  expect(await stored.listQueues()).not.toContain("new-queue");
});

test("metadata keeps the letters of its names, also after the server starts again", async () => {
  const headers = { "x-ms-meta-ColourOf": "a <b> & c" };
  expect((await ask("/orders?comp=metadata", { method: "PUT", headers })).status).toBe(204);
  await using again = await startQueueServer({ storage });

  const { text } = await queueAsker(again)("/?comp=list&include=metadata&prefix=orders");
  expect(text).toContain("<Metadata><ColourOf>a &lt;b&gt; &amp; c</ColourOf></Metadata>");
});

test("policies are of raup, five at most", async () => {
  const policy = (id: string, permission: string): string =>
    `<SignedIdentifier><Id>${id}</Id><AccessPolicy><Permission>${permission}</Permission></AccessPolicy></SignedIdentifier>`;
  const set = async (...policies: readonly string[]): Promise<unknown> => {
    const body = `<SignedIdentifiers>${policies.join("")}</SignedIdentifiers>`;
    const { status, code } = await ask("/orders?comp=acl", { method: "PUT", body });
    return code ?? status;
  };
  const six = ["1", "2", "3", "4", "5", "6"].map((id) => policy(id, "r"));

  expect(await set(policy("a", "raup"))).toBe(204);
  expect(await set(policy("a", "raud"))).toBe("InvalidXmlDocument");
  expect(await set(...six)).toBe("InvalidXmlDocument");
  expect(await set(...six.slice(1))).toBe(204);
  expect((await ask("/orders?comp=acl", { method: "HEAD" })).status).toBe(200);
});

test("a page of another origin does what a rule allows", async () => {
  const rule =
    "<CorsRule><AllowedOrigins>https://a.example</AllowedOrigins><AllowedMethods>GET,POST</AllowedMethods><AllowedHeaders>x-ms-*</AllowedHeaders><ExposedHeaders>x-ms-request-id</ExposedHeaders><MaxAgeInSeconds>60</MaxAgeInSeconds></CorsRule>";
  const preflight = (origin: string): ReturnType<AskQueues> =>
    ask(messages, { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });
  expect((await preflight("https://a.example")).code).toBe("CorsPreflightFailure");
  const body = `<StorageServiceProperties><Cors>${rule}</Cors></StorageServiceProperties>`;
  expect((await ask("/?restype=service&comp=properties", { method: "PUT", body })).status).toBe(202);

  expect((await preflight("https://a.example")).headers).toMatchObject({
    "access-control-allow-origin": "https://a.example",
    "access-control-allow-methods": "POST",
    "access-control-max-age": "60",
  });
  expect((await preflight("https://b.example")).code).toBe("CorsPreflightFailure");
  const { headers } = await ask(messages, { headers: { origin: "https://a.example" } });
  expect(headers["access-control-allow-origin"]).toBe("https://a.example");
  expect(headers["access-control-expose-headers"]).toBe("x-ms-request-id");
});

describe("a socket", () => {
  const sockets = new Set<Socket>();
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  });

  /** What the server sends until it ends the connection, or the end of the answer that is awaited. */
  async function responseTo(...parts: readonly string[]): Promise<string> {
    const socket = connect(server.port, "127.0.0.1");
    sockets.add(socket);
    socket.on("error", () => undefined);
    await once(socket, "connect");
    let response = "";
    socket.on("data", (chunk: Buffer) => (response += chunk.toString()));
    for (const part of parts) socket.write(part);
    await new Promise<void>((resolve) => {
      socket.on("data", () => {
        if (/^HTTP\/1\.1 \d+ [\s\S]*(?:<\/Error>|\r\n\r\n$)/.test(response)) resolve();
      });
      socket.on("close", () => resolve());
    });
    return response;
  }

  const host = "Host: 127.0.0.1\r\n";
  test.each([
    ["a verb there is not", `BREW /acct/orders HTTP/1.1\r\n${host}\r\n`, 400],
    ["a verb of others", `PROPFIND /acct/orders HTTP/1.1\r\n${host}\r\n`, 403],
    ["no HTTP", "hello\r\n\r\n", 400],
    ["no host", "GET /acct/orders HTTP/1.1\r\n\r\n", 400],
    ["another host", "GET /acct/orders HTTP/1.1\r\nHost: queues.example\r\n\r\n", 400],
    ["a proxy's form", `GET http://127.0.0.1/acct HTTP/1.1\r\n${host}\r\n`, 400],
    ["a length that is none", `POST /acct/orders HTTP/1.1\r\n${host}Content-Length: x\r\n\r\n`, 400],
    [
      "two lengths",
      `POST /acct/orders HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`,
      400,
    ],
    ["a length below zero", `POST /acct/orders HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`, 400],
    ["headers without end", `GET /acct/orders HTTP/1.1\r\n${host}X: ${"x".repeat(20_000)}`, 431],
    ["a length of very much", `POST /acct/orders HTTP/1.1\r\n${host}Content-Length: 9999999999\r\n\r\n`, 413],
    [
      "half of a body, from a stranger",
      `POST /acct/orders/messages HTTP/1.1\r\n${host}Content-Length: 50\r\n\r\n<Queue`,
      403,
    ],
  ])("that sends %s is answered with an error", async (_what, text, status) => {
    expect(await responseTo(text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect((await ask("/?comp=list")).status).toBe(200);
  });

  test("that leaves in the middle of a body leaves the server as it is", async () => {
    const socket = connect(server.port, "127.0.0.1");
    sockets.add(socket);
    await once(socket, "connect");
    socket.write(`POST /acct/orders/messages HTTP/1.1\r\n${host}Content-Length: 50\r\n\r\n<Queue`);
    socket.resetAndDestroy();

    expect((await ask("/?comp=list")).status).toBe(200);
  });
});
