// Pages and point reads over HTTP, CPU time of the client: signed and tracked, compared with undici with a
// signature and JSON.parse.
import { createHmac, randomUUID } from "node:crypto";
import { AzureNamedKeyCredential, TableClient } from "@azure/data-tables";
import { openStorage, TableContext } from "@partita/core";
import { Pool } from "undici";
import { startResponseServer } from "./answer-server.ts";
import { Article } from "./article.ts";
import { compare } from "./compare.ts";

const server = await startResponseServer();
const { origin, account, key } = server;
const storage = await openStorage(server.connectionString);
const official = new TableClient(
  `${origin}/${account}`,
  "Articles",
  new AzureNamedKeyCredential(account, key),
  {
    allowInsecureConnection: true,
  },
);
const pool = new Pool(origin, { connections: 64, pipelining: 1 });

const secret = Buffer.from(key, "base64");

/** A signed request of a hand-written client. The response is read as text and parsed. */
async function parsed(path: string): Promise<unknown> {
  const date = new Date().toUTCString();
  const [resource] = path.split("?");
  const signature = createHmac("sha256", secret).update(`${date}\n/${account}${resource}`).digest("base64");
  const headers = {
    authorization: `SharedKeyLite ${account}:${signature}`,
    "x-ms-date": date,
    "x-ms-version": "2019-02-02",
    "x-ms-client-request-id": randomUUID(),
    accept: "application/json;odata=minimalmetadata",
    dataserviceversion: "3.0",
    maxdataserviceversion: "3.0;NetFx",
  };
  const { body } = await pool.request({ method: "GET", path, headers });
  return JSON.parse(await body.text()) as unknown;
}

const page = `/${account}/Articles()?$filter=PartitionKey%20eq%20'shop-1'`;
await compare({
  name: "page over HTTP",
  title: "A page of 1,000 entities over HTTP, the whole client, for each entity",
  clock: "process",
  rounds: 15,
  units: 1000,
  sampleMs: 60,
  warmMs: 1000,
  baseline: { name: "undici.request, signed, text, JSON.parse", run: () => parsed(page) },
  ours: {
    name: "Partita, tracked",
    target: { atMost: 0.9 },
    run: async () => {
      const found = await new TableContext(storage).query(Article).where({ shop: "shop-1" }).toArray();
      if (found.length !== 1000) throw new Error(`Read ${found.length} rows.`);
    },
  },
  peers: [
    {
      name: "@azure/data-tables",
      run: async () => {
        const queryOptions = { filter: "PartitionKey eq 'shop-1'" };
        const pages = official.listEntities({ queryOptions }).byPage({ maxPageSize: 1000 });
        for await (const found of pages) if (found.length === 1000) return;
      },
    },
  ],
});

const [together, reads] = [64, 512];
const point = `/${account}/Articles(PartitionKey='shop-1',RowKey='sku-000000')`;
await compare({
  name: "point read",
  title: "Point reads, 64 at once, signed, for each",
  clock: "process",
  rounds: 15,
  units: reads,
  sampleMs: 60,
  // A find calls many functions, and each needs a long warm-up.
  warmMs: 5000,
  baseline: { name: "undici.request, signed, text, JSON.parse", run: () => atOnce(() => parsed(point)) },
  ours: {
    name: "Partita: a new context, find()",
    target: { atMost: 1 },
    run: () =>
      atOnce(async () => {
        const found = await new TableContext(storage).find(Article, { shop: "shop-1", sku: "sku-000000" });
        if (found === undefined) throw new Error("Nothing was found.");
      }),
  },
  peers: [
    { name: "@azure/data-tables", run: () => atOnce(() => official.getEntity("shop-1", "sku-000000")) },
  ],
});

await storage.close();
await pool.close();
await server.stop();

async function atOnce(read: () => Promise<unknown>): Promise<void> {
  let left = reads;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await read();
  };
  await Promise.all(Array.from({ length: together }, worker));
}
