// Point reads beside 30 clients that scan: how long a read takes, over our server and over Azurite in the same run.
import { rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage, type TableStorage } from "@partita/core";
import { accountSas } from "@partita/core/rest";
import { type MeasuredServer, startAzurite, startOurServer } from "./scan-server.ts";

const [partitions, rows, scans, readers, seconds] = [20, 1_000, 30, 4, 4];
const limits = { readMs: 120_000, writeMs: 120_000 };
const file = join(tmpdir(), `partita-beside-${process.pid}.db`);
const servers: readonly (readonly [name: string, start: () => Promise<MeasuredServer>])[] = [
  ["Partita's server over memory", () => startOurServer("memory:")],
  ["Partita's server over a file", () => startOurServer(`file:${file}`)],
  ["Azurite, in memory", startAzurite],
];

console.log(
  `${readers} readers of single rows beside ${scans} scans, milliseconds a read (limit of ours: p99 50)`,
);
for (const [name, start] of servers) {
  const server = await start();
  const storage = await openStorage(server.connectionString, { timeouts: limits });
  await fill(storage);
  for (const [what, filter] of [
    ["nothing", undefined],
    ["pages of 1000", ""],
    ["filters that no row meets", "&$filter=N%20lt%20-1"],
  ] as const) {
    const scanning = filter === undefined ? undefined : scanOn(server, filter);
    const times = await read(storage);
    await scanning?.stop();
    const at = (part: number): string => (times[Math.floor(times.length * part)] ?? Number.NaN).toFixed(1);
    console.log(`${name} beside ${what}: ${times.length} reads, median ${at(0.5)}, p99 ${at(0.99)}`);
  }
  await storage.close();
  await server.stop();
}
for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });

async function fill(storage: TableStorage): Promise<void> {
  await storage.createTable("Things");
  for (let i = 0; i < partitions * rows; i += 100)
    await storage.transact(
      "Things",
      Array.from({ length: 100 }, (_, j) => ({
        type: "insert" as const,
        entity: {
          PartitionKey: `p${Math.floor(i / rows)}`,
          RowKey: String(i + j),
          N: j,
          Text: "x".repeat(200),
        },
      })),
    );
}

/** The times of reads, in order. */
async function read(storage: TableStorage): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + 1000 * seconds;
  const work = async (partition: number): Promise<void> => {
    while (performance.now() < end) {
      const from = performance.now();
      await storage.get("Things", { partitionKey: `p${partition}`, rowKey: String(partition * rows + 7) });
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: readers }, (_, i) => work(i)));
  return times.toSorted((a, b) => a - b);
}

/** Clients that scan until they are stopped; they drop what they get, so that this process has time to read. */
function scanOn({ connectionString }: MeasuredServer, filter: string): { stop(): Promise<unknown> } {
  const part = (name: string): string => new RegExp(`${name}=([^;]+)`).exec(connectionString)?.[1] ?? "";
  const expiresAt = new Date(Date.now() + 600_000);
  const sas = accountSas(
    { accountName: part("AccountName"), accountKey: part("AccountKey") },
    { permissions: "rl", expiresAt, protocol: "https,http" },
  );
  const agent = new Agent({ keepAlive: true });
  const headers = { accept: "application/json;odata=minimalmetadata", "x-ms-version": "2019-02-02" };
  let isStopped = false;
  const ask = (): Promise<void> =>
    new Promise((resolve) => {
      const request = get(`${part("TableEndpoint")}/Things()?${sas}${filter}`, { agent, headers }, (answer) =>
        answer.resume().on("end", resolve),
      );
      request.on("error", () => resolve());
    });
  const all = Array.from({ length: scans }, async () => {
    while (!isStopped) await ask();
  });
  return {
    async stop() {
      isStopped = true;
      await Promise.all(all);
      agent.destroy();
    },
  };
}
