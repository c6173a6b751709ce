// Copying the quickstart's 135,483 rows to another file: copyTable, which can be killed and resumed, compared
// with a loop over the same storages.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTables, openStorage, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { copyTable } from "@partita/transfer";
import { load } from "@partita/example-quickstart/load";
import { City, Country, Place } from "@partita/example-quickstart/places";
import { readSource } from "@partita/example-quickstart/source";
import { compare } from "./compare.ts";
import { quietly } from "./quietly.ts";
import { startOurServer } from "./scan-server.ts";

const table = "Places";
const folder = mkdtempSync(join(tmpdir(), "partita-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

await using source = await openStorage(`file:${join(folder, "source.db")}`, { durability: "normal" });
await createTables(source, [Place, Country, City]);
await quietly(() => load(source, readSource(Number.POSITIVE_INFINITY)));
const server = await startOurServer(`file:${join(folder, "server.db")}`);
await using served = await openStorage(server.connectionString);

// CPU time and wall time. The latter includes waiting for the disk and for the server.
for (const [name, clock] of [
  ["copy: file to file", "wall"],
  ["copy: file to file, CPU", "process"],
] as const)
  await compare({
    name,
    title: "Copy 135,483 rows of a file to another file",
    clock,
    rounds: 3,
    baseline: { name: "a loop: query, transactions of 100", run: () => intoFile(copyByHand) },
    ours: { name: "Partita: copyTable, which can be resumed", run: () => intoFile(copyAsJob) },
  });
await compare({
  name: "copy: file to server",
  title: "Copy 135,483 rows of a file to a table server",
  rounds: 3,
  baseline: { name: "a loop: query, transactions of 100", run: () => intoServer(copyByHand) },
  ours: { name: "Partita: copyTable, which can be resumed", run: () => intoServer(copyAsJob) },
});
await server.stop();

async function copyAsJob(to: TableStorage): Promise<void> {
  const { read, refused } = await copyTable(source, to, table);
  if (read !== 135_483 || refused !== 0) throw new Error(`${read} rows were copied, ${refused} refused.`);
}

/** A hand-written loop. It cannot be stopped and resumed, and never retries. */
async function copyByHand(to: TableStorage): Promise<void> {
  await to.createTable(table);
  let after: Awaited<ReturnType<TableStorage["query"]>>["next"];
  do {
    const { entities, next } = await source.query(table, after === undefined ? {} : { after });
    after = next;
    for (let from = 0; from < entities.length;) {
      const rows: StoredEntity[] = [];
      const partition = entities[from]?.PartitionKey;
      while (rows.length < 100 && entities[from]?.PartitionKey === partition && from < entities.length)
        rows.push(entities[from++] as StoredEntity);
      await to.transact(
        table,
        rows.map((entity) => ({ type: "upsert-replace", entity })),
      );
    }
  } while (after !== undefined);
}

async function intoFile(copy: (to: TableStorage) => Promise<void>): Promise<void> {
  const file = join(folder, "target.db");
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  await using target = await openStorage(`file:${file}`);
  await copy(target);
}

async function intoServer(copy: (to: TableStorage) => Promise<void>): Promise<void> {
  for (const name of await served.listTables()) await served.deleteTable(name);
  await copy(served);
}
