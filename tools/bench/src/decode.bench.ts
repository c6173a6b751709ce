// A page of 1000 entities of 14 properties, from JSON text to instances.
import { createHttpHeaders } from "@azure/core-rest-pipeline";
import { TableClient } from "@azure/data-tables";
import { TableContext } from "@partita/core";
import { Article, pageText } from "./article.ts";
import { compare, repeat } from "./compare.ts";
import { storageOfPage } from "./stub-storage.ts";

const text = pageText(1000);
const storage = storageOfPage(text);

const official = new TableClient("https://account.table.core.windows.net", "Articles", {
  httpClient: {
    sendRequest: (request) =>
      Promise.resolve({
        request,
        status: 200,
        headers: createHttpHeaders({ "content-type": "application/json;odata=minimalmetadata" }),
        bodyAsText: text,
      }),
  },
});

await compare({
  title: "Decode a page of 1000 (limits: untracked 1.6, tracked 1.9)",
  rounds: 15,
  floor: { name: "JSON.parse of the same text", run: repeat(20, () => void JSON.parse(text)) },
  ours: {
    name: "Partita, untracked",
    run: repeat(20, async () => {
      await new TableContext(storage)
        .query(Article)
        .where({ shop: "shop-1" })
        .mergeOption("noTracking")
        .toArray();
    }),
  },
  peers: [
    {
      name: "Partita, tracked",
      run: repeat(20, async () => {
        await new TableContext(storage).query(Article).where({ shop: "shop-1" }).toArray();
      }),
    },
    {
      name: "@azure/data-tables, whole client over a stub transport",
      run: repeat(20, async () => {
        for await (const page of official.listEntities().byPage()) void page.length;
      }),
    },
  ],
});
