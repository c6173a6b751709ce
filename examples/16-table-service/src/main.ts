// Three table servers over one PostgreSQL database are one service, for Azure's client and for Partita's: also while
// a server stops or dies. `--storage postgres://…` uses your database; by default, it starts one in a temporary folder.
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openStorage } from "@partita/core";
import { noRetry } from "@partita/core/rest";
import { insertWithAzureClient, useAzureClient } from "./azure-client.ts";
import { Balancer } from "./balancer.ts";
import { prepareDatabase, startDatabase } from "./database.ts";
import { duringLoad } from "./load.ts";
import { countProducts, insertWithPartita, usePartita } from "./partita-client.ts";
import { account, Server } from "./server.ts";

await using ends = new AsyncDisposableStack();
const { values } = parseArgs({ options: { storage: { type: "string" } } });
const database = values.storage ?? (await startDatabase(ends));
await prepareDatabase(database);
const servers = [1, 2, 3].map((n) => ends.use(new Server(`Server ${n}`, database)));
await Promise.all(servers.map((server) => server.start()));
const balancer = ends.use(new Balancer(servers));
const port = await balancer.start();
await balancer.untilHealthy(...servers);
console.log(`Three servers, and a load balancer at http://127.0.0.1:${port}`);

const connectionString = `DefaultEndpointsProtocol=http;AccountName=${account.name};AccountKey=${account.key};TableEndpoint=http://127.0.0.1:${port}/${account.name}`;
const storage = ends.use(await openStorage(connectionString));
// A run has partitions of its own.
const run = new Date().toISOString();

console.log("\nAzure's client:");
await useAzureClient(connectionString, `${run} Azure`);
console.log("\nPartita's client:");
await usePartita(storage, `${run} Partita`);

const [first, second] = servers as [Server, Server];
console.log("\nServer 1 gets SIGTERM while both clients insert rows, without retries:");
const inserts = [
  insertWithAzureClient(connectionString, `${run} SIGTERM`),
  insertWithPartita(storage, `${run} SIGTERM`, noRetry),
];
const drained = await duringLoad(inserts, async () => {
  await setTimeout(500);
  console.log(`  its exit code: ${await first.stop("SIGTERM")}`);
  await setTimeout(500);
});
console.log(`  failed: ${drained.failed}, stored: ${drained.inserted}`);

await first.start();
await balancer.untilHealthy(first);
console.log("  it was started again, and gets requests");

console.log("\nServer 2 is killed while Partita's client inserts rows, with retries:");
const killed = await duringLoad([insertWithPartita(storage, `${run} SIGKILL`)], async () => {
  await setTimeout(500);
  await second.stop("SIGKILL");
  await setTimeout(500);
});
const found = await countProducts(storage, `${run} SIGKILL`);
console.log(`  failed: ${killed.failed}, stored: ${killed.inserted}, found: ${found}`);

console.log("\nResponses:");
for (const server of servers) console.log(`  ${server.name}: ${balancer.responses.get(server)}`);
