// Tables that Partita makes for its own rows, as clients that are not Partita's find them.
import { TableServiceClient } from "@azure/data-tables";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { constant, padded } from "@partita/core/keys";
import { internalTables } from "@partita/core/internal";
import { tableQueues } from "@partita/queues";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTableServer, type TableServer } from "../src/index.ts";
import { type Ask, asker, codeIn, ownerAsker } from "./ask.ts";

let inner: TableStorage;
let server: TableServer;
let ask: Ask;
beforeEach(async () => {
  inner = await openStorage("memory:");
  server = await startTableServer({ storage: inner, account: "acct" });
  ask = asker(server);
  await inner.createTable("Things");
});
afterEach(() => server.close());

const names = Object.values(internalTables);
const entity = { PartitionKey: "p", RowKey: "r", A: 1 };
const body = JSON.stringify(entity);
const anyETag = { "if-match": "*" };

const batch = (table: string): string =>
  `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nPOST ${server.url}/${table} HTTP/1.1\r\nAccept: application/json\r\nContent-Type: application/json\r\n\r\n${body}\r\n--c--\r\n--b--\r\n`;

const row = (table: string): string => `/${table}(PartitionKey='p',RowKey='r')`;
const policies = "<SignedIdentifiers></SignedIdentifiers>";

/** Every request that names a table, and its refusal. */
const requests: readonly [
  title: string,
  status: number,
  code: string,
  send: (table: string) => ReturnType<Ask>,
][] = [
  ["look up", 404, "ResourceNotFound", (table) => ask(`/Tables('${table}')`)],
  [
    "create",
    400,
    "InvalidResourceName",
    (t) => ask("/Tables", { method: "POST", body: `{"TableName":"${t}"}` }),
  ],
  ["delete", 404, "ResourceNotFound", (table) => ask(`/Tables('${table}')`, { method: "DELETE" })],
  ["query", 404, "TableNotFound", (table) => ask(`/${table}()`)],
  ["query nothing", 404, "TableNotFound", (table) => ask(`/${table}()?$top=0`)],
  ["read", 404, "TableNotFound", (table) => ask(row(table))],
  ["insert", 404, "TableNotFound", (table) => ask(`/${table}`, { method: "POST", body })],
  ["upsert", 404, "TableNotFound", (table) => ask(row(table), { method: "PUT", body })],
  ["merge", 404, "TableNotFound", (table) => ask(row(table), { method: "MERGE", body, headers: anyETag })],
  ["remove", 404, "TableNotFound", (table) => ask(row(table), { method: "DELETE", headers: anyETag })],
  ["read policies", 404, "TableNotFound", (table) => ownerAsker(server)(`/${table}?comp=acl`)],
  [
    "set policies",
    404,
    "TableNotFound",
    (t) => ownerAsker(server)(`/${t}?comp=acl`, { method: "PUT", body: policies }),
  ],
];

describe.each(names)("%s is as a table that is missing", (name) => {
  test.each(requests)("to %s: %i %s", async (_title, status, code, send) => {
    for (const table of [name, name.toLowerCase(), name.toUpperCase()])
      for (const isStored of [false, true]) {
        if (isStored && !(await inner.listTables()).includes(name)) {
          await inner.createTable(name);
          await inner.write(name, { type: "insert", entity });
        }
        const response = await send(table);
        expect([response.status, codeIn(response.text)]).toEqual([status, code]);
      }

    expect((await inner.query(name, {})).entities).toMatchObject([entity]);
  });

  test("in a transaction", async () => {
    await inner.createTable(name);
    const headers = { "content-type": "multipart/mixed; boundary=b" };
    const response = await ask("/$batch", { method: "POST", body: batch(name), headers });

    expect(response.text).toContain("HTTP/1.1 404 ");
    expect(response.text).toContain("TableNotFound");
    expect((await inner.query(name, {})).entities).toEqual([]);
  });

  test("in the list of tables, whatever is asked of it", async () => {
    await inner.createTable(name);
    for (const query of ["", "?$top=1", "?$filter=TableName ge 'Partita' and TableName lt 'Partitb'"])
      expect((await ask(`/Tables${query}`)).text).not.toMatch(/Partita/i);
  });
});

test("a refusal to create one says why", async () => {
  const { text } = await ask("/Tables", { method: "POST", body: '{"TableName":"PartitaQueues"}' });

  expect(text).toContain("The name PartitaQueues is reserved for Partita's own rows");
});

test("a clean-up by Microsoft's client that deletes every table leaves queues, runs and settings as they are", async () => {
  const queues = tableQueues(inner);
  await queues.createQueue("orders");
  await queues.put("orders", "kept");
  const client = TableServiceClient.fromConnectionString(server.connectionString, {
    allowInsecureConnection: true,
  });
  for await (const { name = "" } of client.listTables()) await client.deleteTable(name);

  expect(await inner.listTables()).toEqual(["PartitaQueues"]);
  expect(await queues.peek("orders")).toMatchObject([{ text: "kept" }]);
});

test("Partita's own client finds all but the server's settings: queues, jobs and index states work over a server", async () => {
  await using own = await openStorage(server.connectionString, { applicationId: "shop/1.2" });
  const queues = tableQueues(own);
  await queues.createQueue("orders");
  await queues.put("orders", "over the wire");
  for (const name of names.filter(
    (each) => each !== internalTables.queues && each !== internalTables.serverSettings,
  ))
    await own.createTable(name);

  expect(await tableQueues(inner).peek("orders")).toMatchObject([{ text: "over the wire" }]);
  expect(await own.listTables()).toEqual(
    [...names.filter((each) => each !== internalTables.serverSettings), "Things"].toSorted(),
  );
  await expect(own.createTable(internalTables.serverSettings)).rejects.toMatchObject({ status: 400 });
});

test("a table that another client deletes and creates has no built indexes", async () => {
  class Runner extends defineEntity({
    table: "Races",
    partitionKey: { race: text() },
    rowKey: { bib: constant("BIB:", padded(3)) },
    properties: { age: int32() },
    indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)) } } },
  }) {}
  await createTables(inner, [Runner]);
  const responses = [
    await ask("/Tables('Races')", { method: "DELETE" }),
    await ask("/Tables", { method: "POST", body: `{"TableName":"Races"}` }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([204, 201]);
  await inner.write("Races", { type: "insert", entity: { PartitionKey: "r", RowKey: "BIB:001", age: 20 } });

  const query = new TableContext(inner).query(Runner).where({ race: "r", age: 20 });

  expect(await query.toArray()).toHaveLength(1);
  expect(query.explain().index).toBeUndefined();
});
