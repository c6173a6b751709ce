import "./util-extend.ts";
import azure from "azure-storage";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { legalKey } from "@partita/testing/arbitraries";
import { startTableServer, type TableServer } from "../src/index.ts";

// The older client speaks an older version, signs with SharedKey, sends MERGE as a method, and lists its properties
// as { _: value, $: type }. Its methods are chosen by name here: they take a callback at the end.
type Callback = (error: (Error & { code?: string; statusCode?: number }) | null, result: unknown) => void;
type Entity = Record<string, { _: unknown; $?: string }>;

const { entityGenerator: edm } = azure.TableUtilities;
const { TableQuery, TableBatch } = azure;

let server: TableServer;
let client: azure.TableService;

beforeAll(async () => {
  server = await startTableServer({ pageSize: 50 });
  client = azure
    .createTableService(server.connectionString)
    .withFilter(new azure.ExponentialRetryPolicyFilter(0));
  await call("createTable", "Things");
});
afterAll(() => server.close());

function call(method: string, ...values: readonly unknown[]): Promise<unknown> {
  const methods = client as unknown as Record<string, (...values: readonly unknown[]) => void>;
  return new Promise((resolve, reject) => {
    const done: Callback = (error, result) => (error === null ? resolve(result) : reject(error));
    methods[method]?.call(client, ...values, done);
  });
}

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable("expected a rejection"),
    (error: { code?: string }) => error.code,
  );

const row = (pk: string, rk: string, more: object = {}): object => ({
  PartitionKey: edm.String(pk),
  RowKey: edm.String(rk),
  ...more,
});
const retrieve = (pk: string, rk: string): Promise<Entity> =>
  call("retrieveEntity", "Things", pk, rk) as Promise<Entity>;

test("insert, retrieve, replace, merge, insert or replace, insert or merge and delete", async () => {
  await call("insertEntity", "Things", row("p", "crud", { A: edm.Int32(1), B: edm.String("b") }));
  expect(await codeOf(call("insertEntity", "Things", row("p", "crud")))).toBe("EntityAlreadyExists");
  const echoed = (await call("insertEntity", "Things", row("p", "echoed", { A: edm.Int32(1) }), {
    echoContent: true,
  })) as Entity;
  expect(echoed["A"]?._).toBe(1);

  await call("mergeEntity", "Things", row("p", "crud", { A: edm.Int32(2) }));
  expect(await retrieve("p", "crud")).toMatchObject({ A: { _: 2 }, B: { _: "b" } });
  const stale = await retrieve("p", "crud");
  await call("replaceEntity", "Things", row("p", "crud", { A: edm.Int32(3) }));
  expect(await retrieve("p", "crud")).not.toHaveProperty("B");
  expect(await codeOf(call("mergeEntity", "Things", { ...stale, A: edm.Int32(4) }))).toBe(
    "UpdateConditionNotSatisfied",
  );
  await call("insertOrMergeEntity", "Things", row("p", "crud", { C: edm.Int32(5) }));
  await call("insertOrReplaceEntity", "Things", row("p", "new", { C: edm.Int32(6) }));
  expect(await retrieve("p", "crud")).toMatchObject({ A: { _: 3 }, C: { _: 5 } });

  await call("deleteEntity", "Things", row("p", "crud"));
  expect(await codeOf(retrieve("p", "crud"))).toBe("ResourceNotFound");
  expect(await codeOf(call("deleteEntity", "Things", row("p", "crud")))).toBe("ResourceNotFound");
});

test("every type", async () => {
  const when = new Date("2013-08-02T17:37:43.900Z");
  await call(
    "insertEntity",
    "Things",
    row("types", "all", {
      s: edm.String("text ' é \u2028"),
      b: edm.Boolean(true),
      i: edm.Int32(-7),
      l: edm.Int64("9223372036854775807"),
      d: edm.Double(1.5),
      nan: edm.Double(Number.NaN),
      t: edm.DateTime(when),
      g: edm.Guid("4185404a-5818-48c3-b9be-f217df0dba6f"),
      x: edm.Binary(Buffer.from([0, 255])),
    }),
  );
  const found = await retrieve("types", "all");
  expect(found).toMatchObject({
    s: { _: "text ' é \u2028" },
    b: { _: true },
    i: { _: -7 },
    l: { _: "9223372036854775807", $: "Edm.Int64" },
    d: { _: 1.5 },
    t: { _: when, $: "Edm.DateTime" },
    g: { _: "4185404a-5818-48c3-b9be-f217df0dba6f", $: "Edm.Guid" },
  });
  expect(found["nan"]?._).toBeNaN();
  expect(found["x"]).toMatchObject({ _: Buffer.from([0, 255]) });
});

test("transactions", async () => {
  await call("insertEntity", "Things", row("tx", "gone"));
  await call("insertEntity", "Things", row("tx", "merged", { A: edm.Int32(1), B: edm.Int32(1) }));
  const batch = new TableBatch();
  batch.insertEntity(row("tx", "inserted", { S: edm.String("a\r\nb") }), { echoContent: true });
  batch.mergeEntity(row("tx", "merged", { A: edm.Int32(2) }));
  batch.insertOrReplaceEntity(row("tx", "upserted"));
  batch.deleteEntity(row("tx", "gone"));
  const results = (await call("executeBatch", "Things", batch)) as { response: { statusCode: number } }[];
  expect(results.map(({ response }) => response.statusCode)).toEqual([201, 204, 204, 204]);
  expect(await retrieve("tx", "merged")).toMatchObject({ A: { _: 2 }, B: { _: 1 } });

  const refused = new TableBatch();
  refused.insertEntity(row("tx", "other"), {});
  refused.insertEntity(row("tx", "inserted"), {});
  expect(await codeOf(call("executeBatch", "Things", refused))).toBe("EntityAlreadyExists");
  expect(await codeOf(retrieve("tx", "other"))).toBe("ResourceNotFound");

  const read = new TableBatch();
  read.retrieveEntity("tx", "merged");
  const [reply] = (await call("executeBatch", "Things", read)) as { entity: Entity }[];
  expect(reply?.entity).toMatchObject({ A: { _: 2 } });
});

test("queries page by page", async () => {
  for (let start = 0; start < 120; start += 60) {
    const batch = new TableBatch();
    for (let i = start; i < start + 60; i++)
      batch.insertEntity(row("q", String(i).padStart(3, "0"), { N: edm.Int32(i) }), {});
    await call("executeBatch", "Things", batch);
  }
  interface Page {
    readonly entries: Entity[];
    readonly continuationToken: object | null;
  }
  const query = new TableQuery().select("N", "None").where("PartitionKey eq ? and N ge ?", "q", 10);
  const entries: Entity[] = [];
  let token: object | null = null;
  do {
    const page = (await call("queryEntities", "Things", query, token)) as Page;
    expect(page.entries.length).toBeLessThanOrEqual(50);
    entries.push(...page.entries);
    token = page.continuationToken;
  } while (token !== null);
  expect(entries.map((entry) => entry["N"]?._)).toEqual(Array.from({ length: 110 }, (_, i) => i + 10));
  // What was selected and is not stored comes as null.
  expect(entries[0]).toHaveProperty("None");
});

test("a table's signature, and tables", async () => {
  const sas = client.generateSharedAccessSignature("Things", {
    AccessPolicy: { Permissions: "r", Expiry: new Date(Date.now() + 60_000) },
  } as azure.common.SharedAccessPolicy);
  await call("insertEntity", "Things", row("sas", "r", { A: edm.Int32(1) }));
  const owner = client;
  client = azure.createTableServiceWithSas(server.url, sas);
  try {
    expect(await retrieve("sas", "r")).toMatchObject({ A: { _: 1 } });
    expect(await codeOf(call("deleteEntity", "Things", row("sas", "r")))).toBe(
      "AuthorizationPermissionMismatch",
    );
  } finally {
    client = owner;
  }
  expect(await call("createTableIfNotExists", "Things")).toMatchObject({ created: false });
  expect(await call("createTableIfNotExists", "Others")).toMatchObject({ created: true });
  expect(await call("doesTableExist", "Others")).toMatchObject({ exists: true });
  expect(await call("listTablesSegmentedWithPrefix", "Oth", null)).toMatchObject({ entries: ["Others"] });
  expect(await call("deleteTableIfExists", "Others")).toBe(true);
  expect(await call("getServiceProperties")).toMatchObject({ Logging: { Version: "1.0" } });
});

test("hostile keys", async () => {
  for (const [i, key] of [...new Set(fc.sample(legalKey(10), { numRuns: 60, seed: 5 }))].entries()) {
    await call("insertEntity", "Things", row(`h${key}`, key, { I: edm.Int32(i) }));
    expect(await retrieve(`h${key}`, key)).toMatchObject({ I: { _: i } });
    await call("deleteEntity", "Things", row(`h${key}`, key));
  }
});
