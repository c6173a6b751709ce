// 1000 new entities of 14 properties, from instances to request bodies; and whole transactions of 100.
import { createHttpHeaders } from "@azure/core-rest-pipeline";
import { TableClient } from "@azure/data-tables";
import { TableContext } from "@partita/core";
import { modelOf } from "@partita/core/models";
import { codecOf } from "../../../packages/core/src/codec/codec-of.ts";
import { keyOfEntity } from "../../../packages/core/src/codec/encode-entity.ts";
import { printEntity } from "../../../packages/core/src/adapters/rest/wire/entity-json.ts";
import { Article, articleValues } from "./article.ts";
import { compare, repeat } from "./compare.ts";
import { startBatchServer } from "./batch-server.ts";
import { openStorage } from "@partita/core";

const articles = Array.from({ length: 1000 }, (_, i) => new Article(articleValues(i)));
const model = modelOf(Article);
const ready = articles.map(
  (article) =>
    JSON.parse(printEntity(codecOf(model).write(article, keyOfEntity(model, article)).stored)) as object,
);

const officialEntities = articles.map((_, i) => officialEntity(i));
const stubbed = new TableClient("https://account.table.core.windows.net", "Articles", {
  httpClient: {
    sendRequest: (request) =>
      Promise.resolve({ request, status: 204, headers: createHttpHeaders({ etag: "e" }) }),
  },
});

await compare({
  title: "Encode 1000 entities (limit 2.2)",
  rounds: 15,
  floor: {
    name: "JSON.stringify of ready objects",
    run: repeat(20, () => {
      for (const entity of ready) JSON.stringify(entity);
    }),
  },
  ours: {
    name: "Partita: keys, validation, EDM, limits, text",
    run: repeat(20, () => {
      for (const article of articles)
        printEntity(codecOf(model).write(article, keyOfEntity(model, article)).stored);
    }),
  },
  peers: [
    {
      name: "@azure/data-tables: createEntity, whole client over a stub transport",
      run: repeat(2, async () => {
        for (const entity of officialEntities) await stubbed.createEntity(entity);
      }),
      times: 10,
    },
  ],
});

const server = await startBatchServer();
const storage = await openStorage(server.connectionString);
const official = TableClient.fromConnectionString(server.connectionString, "Articles", {
  allowInsecureConnection: true,
});
const hundred = articles.slice(0, 100);

await compare({
  title:
    "Save 100 entities in one transaction, CPU time of this process (limit: data-tables at least 8 × ours)",
  rounds: 9,
  cpu: true,
  floor: {
    name: "Partita: new context, create, saveChanges",
    run: repeat(40, async () => {
      const context = new TableContext(storage);
      for (let i = 0; i < hundred.length; i++) context.add(new Article(articleValues(i)));
      await context.saveChanges();
    }),
  },
  ours: {
    name: "@azure/data-tables: submitTransaction",
    run: repeat(40, async () => {
      await official.submitTransaction(hundred.map((_, i) => ["create", officialEntity(i)]));
    }),
  },
});

await storage.close();
await server.stop();

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
