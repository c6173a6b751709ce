// Point reads during scans by 30 clients: the latency of a read with our server and with Azurite in the same
// run.
import { rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage, type TableStorage } from "@partita/core";
import { accountSas } from "@partita/account";
import { reportRow } from "./report-row.ts";
import { type MeasuredServer, startAzurite, startOurServer } from "./scan-server.ts";
import { quantile } from "./statistics.ts";
import { insertThings } from "./thing.ts";

const [partitions, rows, scans, readers, seconds] = [20, 1_000, 30, 4, 4];
const limits = { readMs: 120_000, writeMs: 120_000 };
const file = join(tmpdir(), `partita-beside-${process.pid}.db`);
const servers: readonly (readonly [name: string, start: () => Promise<MeasuredServer>])[] = [
  ["Partita's server over memory", () => startOurServer("memory:")],
  ["Partita's server over a file", () => startOurServer(`file:${file}`)],
  ["Azurite, in memory", startAzurite],
];

const scansOf = [
  { what: "no scans" },
  { what: "30 scans by pages", filter: "" },
  { what: "30 scans that find nothing", filter: "&$filter=N%20lt%20-1" },
] as const;
const times = scansOf.map(() => new Map<string, readonly number[]>());

for (const [name, start] of servers) {
  const server = await start();
  const storage = await openStorage(server.connectionString, { timeouts: limits });
  await fill(storage);
  for (const [i, scansNow] of scansOf.entries()) {
    const scanning = "filter" in scansNow ? scanOn(server, scansNow.filter) : undefined;
    times[i]?.set(name, await read(storage));
    await scanning?.stop();
  }
  await storage.close();
  await server.stop();
}
for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });

for (const [i, { what }] of scansOf.entries())
  for (const share of [0.5, 0.99]) {
    const part = share === 0.5 ? "median" : "99th percentile";
    reportRow({
      name: `reads during ${what}, ${part}`,
      title: `Table server: point reads by ${readers} clients during ${what}, ${part}`,
      clock: "wall",
      contenders: servers.map(([name]) => ({
        name,
        role: name.startsWith("Partita") ? "ours" : "peer",
        samples: [quantile(times[i]?.get(name) ?? [], share)],
        target: name.startsWith("Partita") && share === 0.99 ? { most: 50e6 } : undefined,
      })),
    });
  }

async function fill(storage: TableStorage): Promise<void> {
  await storage.createTable("Things");
  for (let partition = 0; partition < partitions; partition++)
    await insertThings(
      storage,
      "Things",
      Array.from({ length: rows }, (_, i) => ({
        PartitionKey: `p${partition}`,
        RowKey: String(partition * rows + i),
        N: i % 100,
        Text: "x".repeat(200),
      })),
    );
}

/** The latencies of reads, in nanoseconds. */
async function read(storage: TableStorage): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + 1000 * seconds;
  const work = async (partition: number): Promise<void> => {
    while (performance.now() < end) {
      const from = performance.now();
      await storage.get("Things", { partitionKey: `p${partition}`, rowKey: String(partition * rows + 7) });
      times.push((performance.now() - from) * 1e6);
    }
  };
  await Promise.all(Array.from({ length: readers }, (_, i) => work(i)));
  return times;
}

/**
 * Clients that scan until they are stopped. They drop the responses, to leave this process time for reads.
 */
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
      const request = get(
        `${part("TableEndpoint")}/Things()?${sas}${filter}`,
        { agent, headers },
        (response) => response.resume().on("end", resolve),
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
