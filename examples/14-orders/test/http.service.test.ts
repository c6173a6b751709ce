import { openStorage, type TableStorage } from "@partita/core";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openApi } from "../src/http.ts";

let app: FastifyInstance;
/** Reads that wait until as many have been answered; none waits while it is 0. */
let together = 0;
let close: () => Promise<void>;
beforeEach(async () => {
  const storage = await openStorage("memory:");
  app = await openApi(withReadsTogether(storage));
  close = async () => {
    await app.close();
    await storage.close();
  };
});
afterEach(() => close());

/** A storage whose reads can be held back, so that two requests read before one of them writes. */
function withReadsTogether(storage: TableStorage): TableStorage {
  const waiting: (() => void)[] = [];
  const query: TableStorage["query"] = async (...args) => {
    const page = await storage.query(...args);
    if (together > 0)
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === together) for (const go of waiting.splice(0)) go();
      });
    return page;
  };
  return new Proxy(storage, {
    get(target, name) {
      if (typeof name === "symbol") return undefined;
      if (name === "query") return query;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

interface Reply {
  readonly status: number;
  readonly etag: string;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(
  method: "GET" | "POST" | "PATCH",
  url: string,
  payload?: object,
  etag = "",
): Promise<Reply> {
  const response = await app.inject({
    method,
    url,
    ...(payload && { payload }),
    headers: etag === "" ? {} : { "if-match": etag },
  });
  return {
    status: response.statusCode,
    etag: String(response.headers["etag"]),
    body: response.json<Readonly<Record<string, unknown>>>(),
  };
}

const lines = [
  { no: 1, article: "Table", price: "129.90" },
  { no: 2, article: "Chair", price: "39.95", count: 4 },
];
const order = { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", customer: "ann", lines };
const url = `/tenants/acme/orders/${order.id}`;
const pathsOf = ({ body }: Reply): string[] =>
  (body["issues"] as readonly { readonly path: readonly (string | number)[] }[])
    .map(({ path }) => path.join("."))
    .toSorted();

test("the OpenAPI document is valid, and has the schemas of the classes", async () => {
  const { body } = await send("GET", "/openapi.json");

  const result = await new Validator().validate(structuredClone(body));

  expect(result).toMatchObject({ valid: true });
  const { schemas } = body["components"] as {
    schemas: Record<string, { properties: object; required: string[] }>;
  };
  expect(Object.keys(schemas["NewOrder"]?.properties ?? {})).toEqual(["id", "customer", "note", "lines"]);
  expect(Object.keys(schemas["OrderPatch"]?.properties ?? {})).toEqual(["note", "lines"]);
  expect(schemas["Order"]?.required).toContain("createdAt");
});

test("an order is stored with its lines, and read again", async () => {
  const created = await send("POST", "/tenants/acme/orders", { customer: "ann", lines });

  expect(created.status).toBe(201);
  const { id } = created.body;
  expect(id).toHaveLength(26);
  const read = await send("GET", `/tenants/acme/orders/${String(id)}`);
  expect(read.status).toBe(200);
  expect(read.etag).toBe(created.etag);
  expect(read.body).toMatchObject({
    tenant: "acme",
    id,
    customer: "ann",
    createdAt: created.body["createdAt"],
  });
  expect(read.body["lines"]).toMatchObject([
    { tenant: "acme", id, no: 1, article: "Table", price: "129.90", count: 1 },
    { tenant: "acme", id, no: 2, article: "Chair", price: "39.95", count: 4 },
  ]);
});

test("a body that does not fit is refused with every issue", async () => {
  const refused = await send("POST", "/tenants/acme/orders", {
    tenant: "beta",
    createdAt: "2026-11-25T10:00:00Z",
    lines: [{ no: 1, article: "Table", price: 129.9 }, { no: 99_999 }],
  });

  expect(refused.status).toBe(400);
  expect(pathsOf(refused)).toEqual([
    "createdAt",
    "customer",
    "lines.0.price",
    "lines.1.article",
    "lines.1.no",
    "lines.1.price",
    "tenant",
  ]);
});

test("a PATCH changes the order and its lines under its ETag", async () => {
  const { etag } = await send("POST", "/tenants/acme/orders", order);
  const patch = {
    note: "Call first",
    lines: [
      { no: 2, count: 6 },
      { no: 3, article: "Lamp", price: "24.50" },
    ],
  };

  const changed = await send("PATCH", url, patch, etag);
  const late = await send("PATCH", url, { note: null }, etag);
  const readOnly = await send("PATCH", url, { customer: "bo", id: order.id });

  expect(changed.status).toBe(200);
  expect(changed.body).toMatchObject({ note: "Call first" });
  expect(changed.body["lines"]).toMatchObject([
    { no: 2, article: "Chair", count: 6 },
    { no: 3, article: "Lamp" },
  ]);
  expect(late.status).toBe(412);
  expect(readOnly.status).toBe(400);
  expect(pathsOf(readOnly)).toEqual(["customer", "id"]);
  const cleared = await send("PATCH", url, { note: null }, changed.etag);
  expect(cleared.body).not.toHaveProperty("note");
});

test("conflicts are 409 and 412, and what is not stored is 404", async () => {
  await send("POST", "/tenants/acme/orders", order);

  expect((await send("POST", "/tenants/acme/orders", order)).status).toBe(409);
  expect((await send("GET", "/tenants/acme/orders/none")).status).toBe(404);
  expect((await send("GET", "/tenants/acme/orders/7ZZZZZZZZZZZZZZZZZZZZZZZZZ")).status).toBe(404);
  // Both read the order before one of them changes it.
  together = 2;
  const both = await Promise.all([send("PATCH", url, { note: "a" }), send("PATCH", url, { note: "b" })]);
  together = 0;
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
});

test("an order of another tenant is not there", async () => {
  await send("POST", "/tenants/acme/orders", order);

  expect((await send("GET", url.replace("acme", "beta"))).status).toBe(404);
  expect((await send("PATCH", url.replace("acme", "beta"), { note: "x" })).status).toBe(404);
});

test("a new line that lacks a value is refused, though a stored one may leave it out", async () => {
  await send("POST", "/tenants/acme/orders", order);

  const refused = await send("PATCH", url, { lines: [{ no: 4, article: "Rug" }] });

  expect(refused.status).toBe(400);
});
