import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type PageBlobServer,
  type QueueServer,
  startPageBlobServer,
  startQueueServer,
  startTableServer,
  type TableServer,
} from "../src/index.ts";
import { withFaults } from "@partita/testing";
import { fullSas } from "./ask.ts";

let tables: TableServer;
let queues: QueueServer;
let blobs: PageBlobServer;
beforeAll(async () => {
  [tables, queues, blobs] = await Promise.all([
    startTableServer(),
    startQueueServer(),
    startPageBlobServer(),
  ]);
});
afterAll(async () => {
  await Promise.all([tables.close(), queues.close(), blobs.close()]);
});

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function responseTo(url: string, { method = "GET", headers = {}, body = "" }: Asked = {}) {
  const asked = request(url, { method, headers });
  asked.on("error", () => undefined);
  asked.end(body);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  await response.resume().toArray();
  return { status: response.statusCode, headers: response.headers };
}

const version = "2020-12-06";
const named = { "x-ms-version": version };

describe("every answer names the version of its request", () => {
  type Case = [title: string, status: number, url: () => string, asked?: Asked, answered?: string];
  const signed = (path: string): string => `${tables.url}${path}?${fullSas(tables)}`;
  const cases: readonly Case[] = [
    ["a list of tables", 200, () => signed("/Tables")],
    ["a table that is missing", 404, () => signed("/Nowhere")],
    ["a path that is malformed", 400, () => signed("/Nowhere('")],
    ["a verb that the resource lacks", 405, () => signed("/Tables('x')"), { method: "PATCH" }],
    ["a body that is too large", 413, () => signed("/T"), { method: "POST", body: "x".repeat(5_000_000) }],
    ["a service without a signature", 403, () => `${tables.url}/Tables`],
    ["a host that is not this machine's", 400, () => signed("/Tables"), { headers: { host: "example.org" } }],
    ["a preflight without an origin", 400, () => signed("/Tables"), { method: "OPTIONS" }],
    ["a batch without a boundary", 400, () => signed("/$batch"), { method: "POST" }],
    ["a timeout that is no number", 400, () => `${signed("/Tables")}&timeout=abc`],
    ["a queue without a signature", 403, () => `${queues.url}/some-queue`],
    ["a queue's name that is not legal", 403, () => `${queues.url}/Some_Queue`],
    ["a blob without a signature", 403, () => `${blobs.url}/container/blob`],
    [
      "a version that is none",
      400,
      () => signed("/Tables"),
      { headers: { "x-ms-version": "abc" } },
      "2008-10-27",
    ],
    [
      "a version of the next century",
      400,
      () => signed("/Tables"),
      { headers: { "x-ms-version": "2090-01-01" } },
      "2008-10-27",
    ],
    [
      "no version, without a signature",
      403,
      () => `${tables.url}/Tables`,
      { headers: { "x-ms-version": "" } },
      "2008-10-27",
    ],
    [
      "no version, to queues",
      403,
      () => `${queues.url}/some-queue`,
      { headers: { "x-ms-version": "" } },
      "2009-09-19",
    ],
    ["the version of a signature", 404, () => signed("/Nowhere"), { headers: { "x-ms-version": "" } }, "sv"],
    ["the version of the query", 404, () => `${signed("/Nowhere")}&api-version=2017-11-09`, {}, "2017-11-09"],
  ];

  test.each<Case>(cases)("%s: %i", async (_title, status, url, asked = {}, answered = version) => {
    const address = url();
    const { "x-ms-version": own = version, ...rest } = asked.headers ?? {};
    const headers = { ...(own !== "" && { "x-ms-version": own }), ...rest };
    const response = await responseTo(address, { ...asked, headers });

    const expected = answered === "sv" ? new URL(address).searchParams.get("sv") : answered;
    expect([response.status, response.headers["x-ms-version"]]).toEqual([status, expected]);
    expect(response.headers["x-ms-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("also where a plan lets the service refuse", async () => {
    await using server = await startTableServer();
    for (const fault of [
      "busy-before",
      "error-before",
      "throttled-before",
      "operation-timed-out-before",
    ] as const) {
      withFaults(server, () => fault);
      const { status, headers } = await responseTo(`${server.url}/Tables?${fullSas(server)}`, {
        headers: named,
      });
      expect([status, headers["x-ms-version"]]).toEqual([expect.toSatisfy((n: number) => n >= 429), version]);
    }
  });
});

describe("a client's own id is returned", () => {
  test.each<[version: string, more: Readonly<Record<string, string>>, isEchoed: boolean, length?: number]>([
    ["2018-03-28", {}, false],
    ["2018-03-28", { "x-ms-return-client-request-id": "true" }, true],
    ["2018-03-28", { "x-ms-return-client-request-id": "false" }, false],
    ["2018-11-09", {}, false],
    ["2019-02-02", {}, true],
    ["2019-02-02", { "x-ms-return-client-request-id": "false" }, true],
    ["2020-12-06", {}, true],
    ["2020-12-06", {}, true, 1024],
    ["2020-12-06", {}, false, 1025],
  ] as const)(
    "version %s, %j: %s",
    async (own, more: Readonly<Record<string, string>>, isEchoed, length = 4) => {
      const headers = { "x-ms-version": own, "x-ms-client-request-id": "x".repeat(length), ...more };
      const urls = [
        `${tables.url}/Tables?${fullSas(tables)}`,
        `${tables.url}/Nowhere?${fullSas(tables)}`,
        `${tables.url}/Tables`,
        `${queues.url}/some-queue`,
        `${blobs.url}/container/blob`,
      ];
      for (const url of urls) {
        const response = await responseTo(url, { headers });
        expect(response.headers["x-ms-client-request-id"]).toBe(
          isEchoed ? headers["x-ms-client-request-id"] : undefined,
        );
      }
    },
  );
});

describe("a request's timeout", () => {
  test.each([
    ["-1", 400],
    ["abc", 400],
    ["1.5", 400],
    ["1e3", 400],
    ["0", 200],
    ["1", 200],
    ["30", 200],
    ["3600", 200],
  ])("of %s: %i", async (timeout, status) => {
    const table = await responseTo(`${tables.url}/Tables?timeout=${timeout}&${fullSas(tables)}`);
    expect(table.status).toBe(status);
  });
});
