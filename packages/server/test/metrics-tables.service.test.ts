// Tables of the service's own metrics: they can be read, and nothing else.
import { defineEntity, int64, openStorage, TableContext, type TableStorage, text } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { copyTable, exportTable } from "@partita/transfer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTableServer, type TableServer } from "../src/index.ts";

const metrics = "$MetricsHourPrimaryTransactionsTable";
const row = {
  PartitionKey: "20260101T0000",
  RowKey: "user;All",
  "TotalRequests@odata.type": "Edm.Int64",
  TotalRequests: "7",
};

let server: TableServer;
let client: TableStorage;
beforeAll(async () => {
  const inner = await openStorage("memory:");
  await inner.createTable("Metrics");
  await inner.write("Metrics", { type: "insert", entity: row });
  const named = (table: string): string => (table === metrics ? "Metrics" : table);
  const storage = forwardStorage(inner, {
    query: (table, query, options) => inner.query(named(table), query, options),
    get: (table, key, options) => inner.get(named(table), key, options),
  });
  server = await startTableServer({ storage });
  client = await openStorage(server.connectionString);
});
afterAll(async () => {
  await client.close();
  await server.close();
});

class Metrics extends defineEntity({
  table: metrics,
  partitionKey: { hour: text() },
  rowKey: { what: text() },
  properties: { TotalRequests: int64() },
}) {}

test("rows of a table of metrics are read by query, by key and through a class", async () => {
  const { entities } = await client.query(metrics, {});
  expect(entities).toMatchObject([row]);
  expect(await client.get(metrics, { partitionKey: row.PartitionKey, rowKey: row.RowKey })).toMatchObject(
    row,
  );

  const context = new TableContext(client);
  const found = await context.find(Metrics, { hour: row.PartitionKey, what: row.RowKey });
  expect(found?.TotalRequests).toBe(7n);
});

test("it is exported, and copied under another name", async () => {
  let text = "";
  for await (const chunk of exportTable(client, metrics, { format: "jsonl" })) text += chunk;
  expect(JSON.parse(text)).toEqual(row);

  await using target = await openStorage("memory:");
  await copyTable(client, target, metrics, { as: "Copied" });
  expect((await target.query("Copied", {})).entities).toMatchObject([row]);
  await expect(copyTable(client, target, metrics)).rejects.toMatchObject({ code: "transfer.option" });
});

test.each(["$Metrics", "$metricsHour", "$Other", "$MetricsHour1", "$logs", "$MetricsA/b"])(
  "%s is no table",
  async (table) => {
    await expect(client.query(table, {})).rejects.toMatchObject({ code: "storage.invalid-resource-name" });
  },
);

test("none is created", async () => {
  await expect(client.createTable(metrics)).rejects.toMatchObject({ code: "storage.invalid-resource-name" });
});
