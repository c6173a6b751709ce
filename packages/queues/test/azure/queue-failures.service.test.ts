import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import type { StorageError } from "@partita/core";
import { openQueues, type OpenQueuesOptions, type QueueStorage } from "../../src/index.ts";

const secret = Buffer.from("a very secret account key").toString("base64");
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Response = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Queues whose service answers every request so, once it has the whole of it. */
async function answering(
  reply: Response,
  options: OpenQueuesOptions = {},
  headers: Readonly<Record<string, string>> = { "x-ms-request-id": "id-0", "x-ms-version": "2019-02-02" },
): Promise<QueueStorage> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += String(chunk);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    reply(request, response, body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/acct`;
  const target =
    options.credential === undefined
      ? `AccountName=acct;AccountKey=${secret};QueueEndpoint=${endpoint}`
      : endpoint;
  const queues = await openQueues(target, options);
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  closers.push(() => queues.close());
  return queues;
}

const errorOf = async (promise: Promise<unknown>): Promise<StorageError> =>
  promise.then(
    () => expect.unreachable("expected a rejection"),
    (error: StorageError) => error,
  );

const held = { id: "id-1", receipt: "receipt-1" };
type Call = (queues: QueueStorage) => Promise<unknown>;
const writes: readonly (readonly [string, Call])[] = [
  ["createQueue", (queues) => queues.createQueue("orders")],
  ["deleteQueue", (queues) => queues.deleteQueue("orders")],
  ["put", (queues) => queues.put("orders", "secret text")],
  // What was received is invisible, and was counted.
  ["receive", (queues) => queues.receive("orders", { visibilityMs: 1000 })],
  ["update", (queues) => queues.update("orders", held, { visibilityMs: 0, text: "secret text" })],
  ["remove", (queues) => queues.remove("orders", held)],
  ["clear", (queues) => queues.clear("orders")],
];
const reads: readonly (readonly [string, Call])[] = [
  ["listQueues", (queues) => queues.listQueues()],
  ["peek", (queues) => queues.peek("orders")],
  ["approximateCount", (queues) => queues.approximateCount("orders")],
];

const fault = (code: string, message = "As the service says."): string =>
  `\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}\nRequestId:x</Message></Error>`;

describe.each(writes)("%s, whose answer is lost,", (_name, call) => {
  test.each<[string, Response]>([
    ["the connection breaks", (request) => request.socket.destroy()],
    [
      "the answer breaks off",
      (_request, response) => response.writeHead(200, { "content-length": "9" }).flushHeaders(),
    ],
    ["the service is busy", (_request, response) => void response.writeHead(503).end(fault("ServerBusy"))],
    ["something else answers", (_request, response) => void response.writeHead(202).end()],
  ])("may have been applied: %s", async (what, reply) => {
    const cut: Response = (request, response, body) => {
      reply(request, response, body);
      if (what === "the answer breaks off") setImmediate(() => request.socket.destroy());
    };
    const error = await errorOf(call(await answering(cut)));

    expect(error).toMatchObject({ applied: "maybe" });
    expect(inspect(error)).not.toMatch(/secret text|receipt-1/);
  });

  test("may have been applied where a success has no sign of the service", async () => {
    const queues = await answering((_request, response) => void response.writeHead(204).end(), {}, {});

    expect(await errorOf(call(queues))).toMatchObject({ applied: "maybe" });
  });

  test("was not applied where the service refuses it", async () => {
    const queues = await answering(
      (_request, response) => void response.writeHead(403).end(fault("AuthorizationFailure")),
    );

    expect(await errorOf(call(queues))).toMatchObject({
      applied: "no",
      code: "storage.authorization-failure",
      status: 403,
    });
  });
});

test.each(reads)("%s leaves nothing behind, whatever becomes of its answer", async (_name, call) => {
  const broken = await answering((request) => request.socket.destroy());
  const busy = await answering((_request, response) => void response.writeHead(500).end());

  expect(await errorOf(call(broken))).toMatchObject({ applied: "no" });
  expect(await errorOf(call(busy))).toMatchObject({ applied: "no", status: 500 });
});

test.each<[string, Call, number, string, "no" | "maybe"]>([
  ["a put without its message", writes[2]![1], 201, "<QueueMessagesList/>", "maybe"],
  ["a put that is cut", writes[2]![1], 201, "<QueueMessagesList><QueueMessage>", "maybe"],
  ["a receive that is no list", writes[3]![1], 200, "<Other/>", "maybe"],
  ["an update without its new receipt", writes[4]![1], 204, "", "maybe"],
  ["a list of queues that is none", reads[0]![1], 200, "{}", "no"],
  ["a peek that is no XML", reads[1]![1], 200, "secret text", "no"],
  ["a count that is none", reads[2]![1], 200, "", "no"],
])("%s is malformed", async (_what, call, status, body, applied) => {
  const queues = await answering((_request, response) => void response.writeHead(status).end(body));
  const error = await errorOf(call(queues));

  expect(error).toMatchObject({ code: "storage.malformed-response", applied });
  expect(inspect(error)).not.toContain("secret text");
});

test("markers are followed, and one that is repeated ends the list", async () => {
  const asked: (string | undefined)[] = [];
  const pages: Readonly<Record<string, readonly [name: string, next: string]>> = {
    "": ["alpha", "m+1/="],
    "m+1/=": ["beta", "m 2"],
    "m 2": ["gamma", ""],
  };
  const page = (name: string, next: string): string =>
    `<EnumerationResults><Queues><Queue><Name>${name}</Name></Queue></Queues><NextMarker>${next}</NextMarker></EnumerationResults>`;
  const queues = await answering((request, response) => {
    const marker = new URL(request.url ?? "", "http://x").searchParams.get("marker") ?? "";
    asked.push(marker);
    const [name = "", next = ""] = pages[marker] ?? [];
    response.end(page(name, next));
  });
  let count = 0;
  const endless = await answering((_request, response) => void response.end(page("a", `m${count++ % 3}`)));

  expect(await queues.listQueues()).toEqual(["alpha", "beta", "gamma"]);
  expect(asked).toEqual(["", "m+1/=", "m 2"]);
  expect(await errorOf(endless.listQueues())).toMatchObject({
    code: "storage.malformed-response",
    message: expect.stringContaining("repeats a marker") as string,
  });
  expect(count).toBeLessThan(12);
});

test("a queue that is there with other metadata counts as created", async () => {
  const queues = await answering(
    (_request, response) => void response.writeHead(409).end(fault("QueueAlreadyExists")),
  );

  await expect(queues.createQueue("orders")).resolves.toBeUndefined();
});

test("a queue that is being deleted says so, for how long, and which it is", async () => {
  const queues = await answering(
    (_request, response) =>
      void response.writeHead(409).end(fault("QueueBeingDeleted", "The specified queue is being deleted.")),
  );

  for (const call of [queues.createQueue("orders"), queues.put("orders", "secret text")])
    expect(await errorOf(call)).toMatchObject({
      code: "storage.queue-being-deleted",
      applied: "no",
      retryAfterMs: 40_000,
      message: expect.stringContaining(
        'The specified queue is being deleted. That takes 40 seconds or more. Retry later, or use another name. (queue "orders")',
      ) as string,
    });
});

test("errors of a queue and its messages name the queue, what to do, and the request", async () => {
  for (const [status, code, message] of [
    [404, "QueueNotFound", /Create it with createQueue\(name\)\. \(queue "orders"\)/],
    [404, "MessageNotFound", /removed it, or it expired\. \(queue "orders"\)/],
    [400, "PopReceiptMismatch", /newer receipt.*\(queue "orders"\)/],
    [403, "AuthorizationPermissionMismatch", /Storage Queue Data Contributor/],
  ] as const) {
    const queues = await answering((_request, response) => void response.writeHead(status).end(fault(code)));
    const error = await errorOf(queues.remove("orders", held));

    expect(error).toMatchObject({ status, serviceCode: code, requestId: "id-0", applied: "no" });
    expect(error.message).toMatch(message);
  }
});

test("nobody listening at a port is said of queues", async () => {
  const queues = await answering(() => undefined);
  const { description } = queues;
  await closers.shift()?.();

  const { port } = new URL(description);
  expect(await errorOf(queues.put("orders", "secret text"))).toMatchObject({
    code: "storage.unreachable",
    applied: "no",
    message: expect.stringContaining(
      `The queue service at 127.0.0.1:${port} cannot be reached (ECONNREFUSED). Nothing listens at this address: start the emulator, npx azurite-queue --queuePort ${port} or npx @partita/cli serve --queue-port ${port}, or check the port.`,
    ) as string,
  });
});

test("requests are sent as the service documents them, once each", async () => {
  const seen: string[] = [];
  const queues = await answering((request, response, body) => {
    seen.push(`${request.method} ${decodeURIComponent(request.url ?? "")} ${body}`);
    response.writeHead(404).end(fault("QueueNotFound"));
  });
  const all: readonly Promise<unknown>[] = [
    queues.put("orders", "a<b", { visibleAfterMs: 1, timeToLiveMs: "never" }),
    queues.receive("orders", { max: 32, visibilityMs: 1001 }),
    queues.peek("orders", { max: 3 }),
    queues.update("orders", { id: "a/b", receipt: "r+/=" }, { visibilityMs: 0 }),
    queues.remove("orders", { id: "a/b", receipt: "r+/=" }),
    queues.clear("orders"),
    queues.approximateCount("orders"),
    queues.createQueue("orders"),
    queues.deleteQueue("orders"),
    queues.listQueues(),
  ];
  for (const one of all) await errorOf(one);

  const xml = '<?xml version="1.0" encoding="utf-8"?>';
  expect(seen.toSorted()).toEqual(
    [
      `POST /acct/orders/messages?visibilitytimeout=1&messagettl=-1&timeout=20 ${xml}<QueueMessage><MessageText>YTxi</MessageText></QueueMessage>`,
      "GET /acct/orders/messages?numofmessages=32&visibilitytimeout=2&timeout=20 ",
      "GET /acct/orders/messages?peekonly=true&numofmessages=3&timeout=10 ",
      "PUT /acct/orders/messages/a/b?popreceipt=r+/=&visibilitytimeout=0&timeout=20 ",
      "DELETE /acct/orders/messages/a/b?popreceipt=r+/=&timeout=20 ",
      "DELETE /acct/orders/messages?timeout=20 ",
      "GET /acct/orders?comp=metadata&timeout=10 ",
      "PUT /acct/orders?timeout=20 ",
      "DELETE /acct/orders?timeout=20 ",
      "GET /acct/?comp=list&timeout=10 ",
    ].toSorted(),
  );
});

test("nothing is sent of what the service would refuse", async () => {
  let sent = 0;
  const queues = await answering((_request, response) => void response.writeHead(500).end(`${sent++}`), {
    messageEncoding: "text",
  });

  for (const [code, call] of [
    ["queue.name", queues.put("Orders/../x", "a")],
    ["queue.text-too-large", queues.put("orders", "x".repeat(65_537))],
    ["queue.text-characters", queues.put("orders", "\u0007")],
    ["queue.text-characters", queues.update("orders", held, { visibilityMs: 0, text: "\u0000" })],
    ["queue.receipt", queues.remove("orders", { id: "", receipt: "r" })],
    ["queue.option", queues.receive("orders", { visibilityMs: 999 })],
    ["queue.option", queues.put("orders", "a", { visibleAfterMs: 5000, timeToLiveMs: 5000 })],
  ] as const)
    expect(await errorOf(call)).toMatchObject({ code });
  expect(sent).toBe(0);
});

test("a token is asked for the storage scope, sent, and asked for again when it is refused", async () => {
  const scopes: unknown[] = [];
  const seen: (string | undefined)[] = [];
  const credential = {
    async getToken(scope: string | string[]) {
      scopes.push(scope);
      return { token: `token-${scopes.length}`, expiresOnTimestamp: Date.now() + 3_600_000 };
    },
  };
  const queues = await answering(
    (request, response) => {
      seen.push(request.headers.authorization);
      if (seen.length === 1) response.writeHead(401).end(fault("InvalidAuthenticationInfo"));
      else response.writeHead(204).end();
    },
    { credential, allowInsecure: true },
  );

  await queues.clear("orders");

  expect(scopes).toEqual(["https://storage.azure.com/.default", "https://storage.azure.com/.default"]);
  expect(seen).toEqual(["Bearer token-1", "Bearer token-2"]);
});

test("an abort after a put was sent leaves it in doubt, and a clock's limit ends it, too", async () => {
  const stop = new AbortController();
  const stopped = await answering(() => stop.abort());
  const silent = await answering(() => undefined, { timeouts: { writeMs: 50 } });

  expect(await errorOf(stopped.put("orders", "secret text", { signal: stop.signal }))).toMatchObject({
    code: "storage.cancelled",
    applied: "maybe",
  });
  expect(await errorOf(silent.put("orders", "secret text"))).toMatchObject({
    code: "storage.timeout",
    applied: "maybe",
  });
});

test("closed queues refuse requests, and name what opens them", async () => {
  const queues = await answering(() => undefined);
  await queues.close();

  expect(await errorOf(queues.peek("orders"))).toMatchObject({
    code: "storage.closed",
    message: expect.stringContaining("openQueues") as string,
  });
});
