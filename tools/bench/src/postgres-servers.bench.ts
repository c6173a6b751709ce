// Table servers over one PostgreSQL database: one server and three, compared with Azurite. 64 requests at once.
import type { TableStorage } from "@partita/core";
import { initPostgres } from "@partita/postgres";
import { startPostgres } from "@partita/test-support/postgres";
import { compare, type Contender } from "./compare.ts";
import { startAzurite, startOurServer } from "./scan-server.ts";
import { served, type Served, stopServed } from "./served.ts";
import { insertThings, thing } from "./thing.ts";

const [together, rows] = [64, 1000];
const database = await startPostgres({ settings: { fsync: "on", shared_buffers: "256MB" } });
const target = database.target();
await initPostgres(target);

const azurite = await served("Azurite, in memory", await startAzurite());
const ours: Served[] = [];
for (let i = 0; i < 3; i++) ours.push(await served("Partita's server", await startOurServer(target)));
for (const { storage } of [azurite, ours[0] as Served]) {
  await storage.createTable("Things");
  await insertThings(
    storage,
    "Things",
    Array.from({ length: rows }, (_, i) => thing("p", i)),
  );
}

type Work = (storage: TableStorage, i: number) => Promise<unknown>;

/** Requests go to the servers in turn, as a load balancer sends them. */
const balanced = (name: string, servers: readonly Served[], work: Work): Contender => ({
  name,
  run: () =>
    Promise.all(
      Array.from({ length: together }, (_, i) => work((servers[i % servers.length] as Served).storage, i)),
    ),
});

let count = 0;
const works: readonly (readonly [name: string, title: string, work: Work])[] = [
  [
    "a point read",
    "Point reads, 64 at once, for each",
    (storage, i) => storage.get("Things", { partitionKey: "p", rowKey: String(i).padStart(6, "0") }),
  ],
  [
    "an insert",
    "Inserts, 64 at once, for each",
    (storage) => storage.write("Things", { type: "insert", entity: thing(`new-${count % 64}`, count++) }),
  ],
];

for (const [name, title, work] of works)
  await compare({
    name: `postgres servers: ${name}`,
    title: `Table servers over PostgreSQL: ${title.toLowerCase()}`,
    rounds: 7,
    units: together,
    sampleMs: 200,
    warmMs: 1500,
    baseline: balanced("one server over PostgreSQL", ours.slice(0, 1), work),
    ours: balanced("three servers over PostgreSQL", ours, work),
    peers: [balanced("Azurite, in memory", [azurite], work)],
  });

for (const each of [azurite, ...ours]) await stopServed(each);
await database.stop();
