import { inspect } from "node:util";
import { virtualClock } from "@partita/testing";
import { describe, expect, test } from "vitest";
import {
  defineEntity,
  int32,
  type StorageError,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import type { WriteOperation } from "../../../src/storage.ts";
import { fixed } from "../../../src/rest.ts";
import { answering, errorOf, insert, proxied, read, secret, write } from "./answering-service.ts";

// What a service answers, and what is made of it. What becomes of connections is in transports.service.test.ts.

describe("each failure ends in its own typed error", () => {
  test("a table that was not created, and a wrong key, with what to do", async () => {
    for (const [status, code, remedy] of [
      [404, "TableNotFound", /createTables\(storage, \[YourClass\]\)/],
      [403, "AuthorizationFailure", /Check the account's name and key/],
      [403, "AuthorizationPermissionMismatch", /Storage Table Data Contributor/],
    ] as const) {
      const storage = await answering((_request, response) => {
        response.writeHead(status, { date: new Date().toUTCString(), "content-type": "application/json" });
        response.end(
          JSON.stringify({
            "odata.error": { code, message: { value: "As the service says.\nRequestId:x" } },
          }),
        );
      });

      const { message } = await read(storage);

      expect(message).toMatch(/^As the service says\. /);
      expect(message).toMatch(remedy);
    }
  });

  test("a clock 20 minutes off, either way", async () => {
    for (const minutes of [20, -20]) {
      const storage = await answering((_request, response) => {
        response.writeHead(403, { date: new Date(Date.now() - minutes * 60_000).toUTCString() });
        response.end(
          "<Error><Code>AuthenticationFailed</Code><Message>Server failed to authenticate the request.</Message></Error>",
        );
      });
      const error = await read(storage);

      expect(error).toMatchObject({
        code: "storage.clock-skew",
        status: 403,
        serviceCode: "AuthenticationFailed",
      });
      expect(error.message).toContain(`20 minutes ${minutes > 0 ? "ahead of" : "behind"}`);
    }
  });

  test("the time of something in between is not taken for the service's", async () => {
    let isService = false;
    const later = new Date(Date.now() + 3_600_000);
    const written = later.toISOString().replaceAll(":", "%3A");
    const storage = await proxied((_request, response) => {
      const ofService = { "x-ms-version": "2019-02-02", etag: `W/"datetime'${written}'"` };
      response.writeHead(isService ? 204 : 200, { date: later.toUTCString(), ...(isService && ofService) });
      response.end(isService ? undefined : "<html>Sign in</html>");
    });
    const insertRow = (): Promise<unknown> => storage.write("Things", insert());

    await errorOf(insertRow());
    expect(storage.reachedTime?.()).toBeUndefined();
    isService = true;
    await insertRow();
    expect(storage.reachedTime?.()).toBe(Date.parse(later.toUTCString()));
  });

  test("a service whose rows have another time than its answers: its time proves nothing of rows", async () => {
    let hours = 0;
    const storage = await answering((request, response) => {
      const isRead = request.method === "GET";
      const written = new Date(Date.now() - hours * 3_600_000).toISOString().replaceAll(":", "%3A");
      response.writeHead(isRead ? 200 : 204, {
        date: new Date().toUTCString(),
        etag: `W/"datetime'${written}'"`,
        "x-ms-version": "2019-02-02",
      });
      response.end(isRead ? '{"value":[]}' : undefined);
    });
    const write = (): Promise<unknown> =>
      storage.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey: "1" } });

    await storage.query("Things", {});
    expect(storage.reachedTime?.()).toBeUndefined();
    await write();
    expect(storage.reachedTime?.()).toBeGreaterThan(Date.now() - 60_000);
    hours = 1;
    await write();
    expect(storage.reachedTime?.()).toBeUndefined();
  });

  test("a refused signature with a right clock", async () => {
    const storage = await answering((_request, response) => {
      response
        .writeHead(403)
        .end(
          '{"odata.error":{"code":"AuthenticationFailed","message":{"lang":"en-US","value":"No.\\nRequestId:x"}}}',
        );
    });

    expect(await read(storage)).toMatchObject({
      code: "storage.authentication-failed",
      status: 403,
      message: expect.stringMatching(/^No\. Check the account's name and key/) as string,
    });
  });

  test.each([
    "<html>Welcome</html>",
    "",
    "null",
    "[]",
    '{"value":{}}',
    '{"value":[{"PartitionKey":',
    "\u0000\u0001",
  ])("garbage instead of JSON: %j", async (body) => {
    const storage = await answering((_request, response) => response.writeHead(200).end(body));

    expect(await read(storage)).toMatchObject({ code: "storage.malformed-response", applied: "no" });
    expect(await errorOf(storage.get("Things", { partitionKey: "p", rowKey: "r" }))).toMatchObject({
      code: "storage.malformed-response",
    });
  });

  test.each<[number, string, "no" | "maybe"]>([
    [400, "InvalidInput", "no"],
    [404, "TableNotFound", "no"],
    [409, "EntityAlreadyExists", "no"],
    [412, "UpdateConditionNotSatisfied", "no"],
    [408, "RequestTimeout", "maybe"],
    [500, "OperationTimedOut", "maybe"],
    [502, "", "maybe"],
    [503, "ServerBusy", "maybe"],
    [501, "NotImplemented", "no"],
  ])("status %d %s leaves a write applied: %s %s", async (status, code, applied) => {
    const body = code === "" ? "" : JSON.stringify({ "odata.error": { code, message: { value: "x" } } });
    const storage = await answering((_request, response) =>
      response.writeHead(status, { "x-ms-request-id": "id-1" }).end(body),
    );

    expect(await write(storage)).toMatchObject({
      status,
      applied,
      requestId: "id-1",
      serviceCode: code === "" ? undefined : code,
    });
    expect(await read(storage)).toMatchObject({ status, applied: "no" });
  });
});

describe("a success without a sign of the service, as of a proxy, leaves a write in doubt", () => {
  const signs = [{ "x-ms-request-id": "id-1" }, { "x-ms-version": "2019-02-02" }];
  const batch =
    "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n\r\n--c--\r\n--b--\r\n";
  const etag = 'W/"1"';
  const key = { partitionKey: "p", rowKey: "r" };
  const merge: WriteOperation = { type: "merge", entity: { PartitionKey: "p", RowKey: "r" }, etag };
  const writes: readonly (readonly [string, number, (storage: TableStorage) => Promise<unknown>])[] = [
    ["an insert", 201, (storage) => storage.write("Things", insert())],
    ["an insert", 204, (storage) => storage.write("Things", insert())],
    ["a merge", 204, (storage) => storage.write("Things", merge)],
    ["an upsert", 204, (storage) => storage.write("Things", { ...merge, type: "upsert-replace" })],
    ["a delete", 204, (storage) => storage.write("Things", { type: "delete", key, etag })],
    ["a transaction", 202, (storage) => storage.transact("Things", [merge])],
    ["a new table", 204, (storage) => storage.createTable("Things")],
    ["the end of a table", 204, (storage) => storage.deleteTable("Things")],
  ];

  test.each(writes)("%s that is answered %d", async (_name, status, work) => {
    const reply = (headers: Readonly<Record<string, string>>) =>
      proxied((request, response) => {
        request.resume().on("end", () => {
          response.writeHead(status, { etag, ...headers });
          response.end(status === 202 ? batch : "");
        });
      });

    expect(await errorOf(work(await reply({ dataserviceversion: "3.0;", server: "nginx" })))).toMatchObject({
      code: "storage.malformed-response",
      applied: "maybe",
      status,
      message: expect.stringContaining("neither x-ms-request-id nor x-ms-version") as string,
    });
    for (const sign of signs) await work(await reply(sign));
  });

  test("a save reads back whether it was stored", async () => {
    class Thing extends defineEntity({
      table: "Things",
      partitionKey: { p: text() },
      rowKey: { r: text() },
      properties: { n: int32() },
    }) {}
    const storage = await proxied((request, response) => {
      if (request.method !== "GET") return response.writeHead(204).end();
      const body = '{"odata.error":{"code":"ResourceNotFound","message":{"value":"No."}}}';
      return response.writeHead(404, { "x-ms-request-id": "id-1" }).end(body);
    });
    const context = new TableContext(storage, { retry: fixed(2, 0) });
    context.create(Thing, { p: "p", r: "r", n: 1 });

    await expect(context.saveChanges()).rejects.toMatchObject({ results: [{ outcome: "unknown" }] });
  });
});

describe("a transaction is stored only when its answer says so whole", () => {
  const part = (status: string, extra = ""): string =>
    `--changesetresponse_S\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nHTTP/1.1 ${status}\r\n${extra}\r\n\r\n`;
  const whole = (...parts: string[]): string =>
    `--batchresponse_R\r\nContent-Type: multipart/mixed; boundary=changesetresponse_S\r\n\r\n${parts.join("")}--changesetresponse_S--\r\n--batchresponse_R--\r\n`;
  const good = part("204 No Content", "ETag: W/\"datetime'x'\"\r\n");
  const outcome = async (body: string): Promise<unknown> => {
    const storage = await answering((_request, response) => response.writeHead(202).end(body));
    return storage.transact("Things", [insert("a"), insert("b")]).catch((error: StorageError) => error);
  };

  test("every part and every boundary", async () => {
    expect(await outcome(whole(good, good))).toEqual([
      { etag: "W/\"datetime'x'\"" },
      { etag: "W/\"datetime'x'\"" },
    ]);
  });

  test.each<[string, string]>([
    ["no body", ""],
    ["a web page", "<html>"],
    ["one part of two", whole(good)],
    ["three parts", whole(good, good, good)],
    ["an end that is cut off", whole(good, good).slice(0, -12)],
    ["a part that is cut off", whole(good, good).slice(0, 200)],
  ])("%s: not known", async (_name, body) => {
    expect(await outcome(body)).toMatchObject({ code: "storage.malformed-response", applied: "maybe" });
  });

  test("a refusal inside a 202, with and without its index, in JSON and XML", async () => {
    const json =
      '{"odata.error":{"code":"EntityAlreadyExists","message":{"lang":"en-US","value":"1:The specified entity already exists.\\nTime:x"}}}';
    const xml = "<error><code>UpdateConditionNotSatisfied</code><message>Changed.</message></error>";

    expect(await outcome(whole(part("409 Conflict", `\r\n${json}`)))).toMatchObject({
      serviceCode: "EntityAlreadyExists",
      index: 1,
      applied: "no",
      message: expect.stringContaining("The specified entity already exists.") as string,
    });
    expect(await outcome(whole(part("412 Precondition Failed", `\r\n${xml}`)))).toMatchObject({
      serviceCode: "UpdateConditionNotSatisfied",
      index: undefined,
      applied: "no",
    });
    expect(await outcome(whole(part("500 Internal Server Error")))).toMatchObject({ applied: "maybe" });
    expect(await outcome(whole(part("408 Request Timeout")))).toMatchObject({ applied: "maybe" });
    expect(await outcome(whole(good, part("304 Not Modified")))).toMatchObject({ applied: "maybe" });
  });
});

test("only a continuation header that is absent ends a query", async () => {
  const asked: (string | undefined)[] = [];
  const storage = await answering((request, response) => {
    asked.push(request.url);
    response.writeHead(
      200,
      asked.length === 1
        ? { "x-ms-continuation-nextpartitionkey": "", "x-ms-continuation-nextrowkey": "MQ==" }
        : {},
    );
    response.end('{"value":[]}');
  });

  const { next } = await storage.query("Things", {});
  expect(next).toBeDefined();
  expect((await storage.query("Things", { after: next as never })).next).toBeUndefined();
  expect(asked[1]).toContain("NextPartitionKey=&NextRowKey=MQ%3D%3D");
});

test("an entity is missing only where the service says so", async () => {
  const storage = await answering((_request, response) => response.writeHead(404).end("<html>no</html>"));

  expect(await errorOf(storage.get("Things", { partitionKey: "p", rowKey: "r" }))).toMatchObject({
    status: 404,
  });
});

test("an ETag that would end the header is refused before anything is sent", async () => {
  let requests = 0;
  const storage = await answering((_request, response) => (requests++, response.end()));
  const merge: WriteOperation = {
    type: "merge",
    entity: { PartitionKey: "p", RowKey: "r" },
    etag: "*\r\nX-Evil: 1",
  };

  for (const attempt of [storage.write("Things", merge), storage.transact("Things", [merge, insert()])])
    expect(await errorOf(attempt)).toMatchObject({ code: "storage.invalid-input", applied: "no" });
  expect(requests).toBe(0);
});

test("time limits that are none are refused, and Infinity means none", async () => {
  await expect(answering(() => undefined, { timeouts: { readMs: Number.NaN } })).rejects.toMatchObject({
    code: "storage.option",
  });
  const storage = await answering(
    (_request, response) => setImmediate(() => response.writeHead(200).end('{"value":[]}')),
    { timeouts: { readMs: Number.POSITIVE_INFINITY } },
  );

  expect((await storage.query("Things", {})).entities).toEqual([]);
});

test("text that UTF-8 does not have is refused", async () => {
  const storage = await answering((_request, response) => response.end());

  expect(await errorOf(storage.get("Things", { partitionKey: "\ud800", rowKey: "r" }))).toMatchObject({
    code: "storage.out-of-range-input",
  });
});

test("the key is in no error, no inspection and no description", async () => {
  const storage = await answering((_request, response) => response.writeHead(403).end());
  const error = await write(storage);

  const everything =
    inspect(storage, { depth: 10, showHidden: true }) +
    inspect(error, { depth: 10, showHidden: true }) +
    storage.description +
    JSON.stringify(storage);
  expect(everything).not.toContain(secret);
  expect(everything).not.toContain("a very secret");
  expect(everything).not.toContain("SharedKeyLite acct:");
});

test("a table name that would change the URL is refused before anything is sent", async () => {
  let requests = 0;
  const storage = await answering((_request, response) => (requests++, response.end()));

  for (const table of ["x') HTTP/1.1\r\nX-Evil: 1\r\n", "a/b", "Tables", "ab\n", "", "$batch"])
    for (const attempt of [
      storage.query(table, {}),
      storage.write(table, insert()),
      storage.createTable(table),
      storage.deleteTable(table),
    ])
      expect(await errorOf(attempt)).toMatchObject({ code: "storage.invalid-resource-name" });
  expect(requests).toBe(0);
});

describe("a context over a service that fails", () => {
  class Thing extends defineEntity({
    table: "Things",
    partitionKey: { p: text() },
    rowKey: { r: text() },
    properties: { n: int32().default(0) },
  }) {}

  test("a service that asks to wait is asked again after that, and no doubt is left", async () => {
    const responses: [status: number, headers: Record<string, string>][] = [
      [503, { "retry-after": "1" }],
      [204, { etag: `W/"1"` }],
    ];
    const storage = await answering((_request, response) => {
      const [status, headers] = responses.shift() ?? [500, {}];
      response.writeHead(status, headers).end();
    });
    const clock = virtualClock();
    const context = new TableContext(storage, { retry: fixed(2, 0), clock });
    const thing = context.create(Thing, { p: "p", r: "r" });

    expect(await context.saveChanges()).toMatchObject([{ outcome: "committed", attempts: 2 }]);
    expect(context.entry(thing)).toMatchObject({ state: "unchanged", etag: `W/"1"`, inDoubt: false });
    expect(clock.waits).toEqual([1000]);
  });

  test("an insert that was stored, with the connection cut, is found by reading back", async () => {
    let stored: string | undefined;
    const storage = await answering((request, response) => {
      if (request.method === "GET") {
        const entity = {
          ...(JSON.parse(stored ?? "{}") as object),
          "odata.etag": `W/"7"`,
          Timestamp: "2026-11-21T00:00:00Z",
        };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(entity));
        return;
      }
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (stored === undefined) {
          stored = Buffer.concat(chunks).toString();
          response.destroy();
          return;
        }
        const error = { "odata.error": { code: "EntityAlreadyExists", message: { value: "It exists." } } };
        response.writeHead(409, { "content-type": "application/json" }).end(JSON.stringify(error));
      });
    });
    const context = new TableContext(storage, { retry: fixed(3, 0) });
    const thing = context.create(Thing, { p: "p", r: "r", n: 5 });

    expect(await context.saveChanges()).toMatchObject([{ outcome: "committed", attempts: 2 }]);
    expect(context.entry(thing)).toMatchObject({ state: "unchanged", etag: `W/"7"` });
  });
});
