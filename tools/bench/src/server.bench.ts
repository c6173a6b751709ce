// The CPU time of a table server: transactions of 100 rows of 1 KB, point reads and pages, compared with
// Azurite and a bare hand-written server.
import type { TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { startBareServer } from "./bare-server.ts";
import { compare } from "./compare.ts";
import { atServer, type Served, served, startServers, stopServed } from "./served.ts";
import { insertThings, thing } from "./thing.ts";

const [batches, reads, rows, perPartition] = [20, 500, 10_000, 2_000];
const servers = await startServers();
const bare = await served("node:http and node:sqlite by hand, unchecked", await startBareServer());
const { azurite, memory, file } = servers;

const rowsOf = (partition: string, count: number): StoredEntity[] =>
  Array.from({ length: count }, (_, i) => thing(partition, i));

for (const { storage } of [...servers.all, bare]) {
  for (const table of ["Written", "Things"]) await storage.createTable(table);
  for (let partition = 0; partition < rows / perPartition; partition++)
    await insertThings(storage, "Things", rowsOf(`p${partition}`, perPartition));
}

/** CPU time of servers. A request's own code is hot after hundreds of them. */
const options = { counted: "CPU time of the server's process", rounds: 11, sampleMs: 100, warmMs: 2500 };
const beside = azurite.name;

let batch = 0;
await compare({
  ...options,
  name: "server: transactions of 100",
  title: "Table server: transactions of 100 rows of 1 KB, for each row",
  units: batches * 100,
  baseline: atServer(bare, transact),
  ours: [
    atServer(memory, transact, { peer: beside, atLeast: 4.5, goal: 5.5 }),
    atServer(file, transact, { peer: beside, atLeast: 4, goal: 5 }),
  ],
  peers: [atServer(azurite, transact)],
});
await compare({
  ...options,
  name: "server: point reads",
  title: "Table server: point reads, 64 at once, for each",
  units: reads,
  baseline: atServer(bare, readPoints),
  ours: [
    atServer(memory, readPoints, { peer: beside, atLeast: 6 }),
    atServer(file, readPoints, { peer: beside, atLeast: 4 }),
  ],
  peers: [atServer(azurite, readPoints)],
});
await compare({
  ...options,
  name: "server: pages",
  title: "Table server: pages of 1,000 rows of 1 KB, for each row",
  units: rows,
  baseline: atServer(azurite, readAll),
  ours: [memory, file].map((each: Served) => atServer(each, readAll, { atMost: 1 })),
});
await servers.stop();
await stopServed(bare);

async function transact(storage: TableStorage): Promise<void> {
  for (let i = 0; i < batches; i++) await insertThings(storage, "Written", rowsOf(`batch ${batch++}`, 100));
}

async function readPoints(storage: TableStorage): Promise<void> {
  let next = 0;
  const reader = async (): Promise<void> => {
    while (next < reads) {
      const i = (next++ * 37) % rows;
      const partitionKey = `p${Math.floor(i / perPartition)}`;
      const rowKey = String(i % perPartition).padStart(6, "0");
      if ((await storage.get("Things", { partitionKey, rowKey })) === undefined)
        throw new Error("A row is missing.");
    }
  };
  await Promise.all(Array.from({ length: 64 }, reader));
}

async function readAll(storage: TableStorage): Promise<void> {
  let found = 0;
  let after;
  do {
    const page = await storage.query("Things", after === undefined ? {} : { after });
    found += page.entities.length;
    after = page.next;
  } while (after !== undefined);
  if (found !== rows) throw new Error(`${found} rows were found, and ${rows} expected.`);
}
