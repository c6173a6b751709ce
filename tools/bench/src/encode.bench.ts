// 1000 new entities of 14 properties, from instances to request bodies, and complete transactions of 100.
import { createHttpHeaders } from "@azure/core-rest-pipeline";
import { TableClient } from "@azure/data-tables";
import { openStorage, TableContext } from "@partita/core";
import { Pool } from "undici";
import { modelOf } from "@partita/core/models";
import { codecOf } from "../../../packages/core/src/model/codec/codec-of.ts";
import { keyOfEntity } from "../../../packages/core/src/model/codec/entity-key.ts";
import { ByteWriter } from "../../../packages/core/src/values/edm/byte-writer.ts";
import { Article, articleValues } from "./article.ts";
import { compare } from "./compare.ts";
import { startBatchServer } from "./batch-server.ts";

/** Roughly the headers before each entity of a transaction. */
const partHead =
  "--changeset_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nPOST http://127.0.0.1/devstoreaccount1/Articles HTTP/1.1\r\nAccept: application/json;odata=minimalmetadata\r\nContent-Type: application/json\r\nPrefer: return-no-content\r\n\r\n";
const articles = Array.from({ length: 1000 }, (_, i) => new Article(articleValues(i)));
const model = modelOf(Article);
const codec = codecOf(model);
/** Keys, checks, snapshot values and size; then bytes of JSON. */
function print(into: ByteWriter, article: Article): void {
  const key = keyOfEntity(model, article);
  codec.print(into, key, codec.write(article, key).values);
}
const ready = articles.map(
  (article) => JSON.parse(ByteWriter.write((into) => print(into, article)).toString()) as object,
);

// A tenth of them, because the peer is slow.
const officialEntities = articles.slice(0, 100).map((_, i) => officialEntity(i));
const stubbed = new TableClient("https://account.table.core.windows.net", "Articles", {
  httpClient: {
    sendRequest: (request) =>
      Promise.resolve({ request, status: 204, headers: createHttpHeaders({ etag: "e" }) }),
  },
});

await compare({
  name: "encode",
  title: "1,000 new entities to bytes, for each entity",
  clock: "thread",
  rounds: 21,
  units: articles.length,
  baseline: {
    name: "JSON.stringify of ready objects",
    run: () => ready.map((entity) => JSON.stringify(entity)),
  },
  ours: {
    name: "keys, validation, EDM, limits, snapshot values, bytes",
    target: { atMost: 1.8 },
    run: () =>
      ByteWriter.write((into) => {
        for (const article of articles) print(into, article);
      }),
  },
  peers: [
    {
      name: "@azure/data-tables: createEntity over a stub transport",
      times: 10,
      run: async () => {
        for (const entity of officialEntities) await stubbed.createEntity(entity);
      },
    },
  ],
});

const server = await startBatchServer();
const storage = await openStorage(server.connectionString);
const official = TableClient.fromConnectionString(server.connectionString, "Articles", {
  allowInsecureConnection: true,
});
const hundred = Array.from({ length: 100 }, (_, i) => i);

const pool = new Pool(server.origin, { connections: 64, pipelining: 1 });
const readyBody = Buffer.from(
  ready
    .slice(0, 100)
    .map((entity) => partHead + JSON.stringify(entity))
    .join("\r\n"),
);

await compare({
  name: "transaction",
  title: "100 new entities in one transaction, the whole client, for each entity",
  clock: "process",
  rounds: 15,
  units: hundred.length,
  sampleMs: 60,
  warmMs: 1500,
  baseline: { name: "undici.request with a ready body, text", run: sendReady },
  ours: {
    name: "Partita",
    target: { peer: "@azure/data-tables", atLeast: 6 },
    run: async () => {
      const context = new TableContext(storage);
      for (const i of hundred) context.add(new Article(articleValues(i)));
      await context.saveChanges();
    },
  },
  peers: [
    {
      name: "@azure/data-tables",
      run: () => official.submitTransaction(hundred.map((i) => ["create", officialEntity(i)])),
    },
  ],
});

await storage.close();
await pool.close();
await server.stop();

/** The cheapest way to send the same bytes and read the response. */
async function sendReady(): Promise<void> {
  const { body } = await pool.request({
    method: "POST",
    path: "/devstoreaccount1/$batch",
    headers: { "content-type": "multipart/mixed; boundary=batch" },
    body: readyBody,
  });
  await body.text();
}

function officialEntity(i: number): { partitionKey: string; rowKey: string } {
  const { shop, sku, views, createdAt, changedAt, id, ...rest } = articleValues(i);
  return {
    partitionKey: shop,
    rowKey: sku,
    ...rest,
    views: { type: "Int64", value: String(views) },
    createdAt,
    changedAt,
    id: { type: "Guid", value: id },
  } as never;
}
