// Scans of 20,000 rows of 100 bytes and of 1 KB: CPU time of the server's process alone per scanned row,
// compared with Azurite in the same run.
import type { TableStorage } from "@partita/core";
import type { FilterNode } from "@partita/core/storage";
import { compare } from "./compare.ts";
import { reportRow } from "./report-row.ts";
import { atServer, type Served, startServers } from "./served.ts";
import { insertThings, thing } from "./thing.ts";

const [total, perPartition, scans] = [20_000, 2_000, 5];
const counted = "CPU time of the server's process";
const sizes = [
  { size: "1 KB", table: "Large", bytes: 1_000 },
  { size: "100 bytes", table: "Small", bytes: 100 },
] as const;
const filters = [
  { what: "n eq 5", filter: comparing("eq", "n", 5), target: { atMost: 2.5 } },
  { what: "word eq 'word 5'", filter: comparing("eq", "word", "word 5"), target: { atMost: 2.5 } },
  { what: "n lt 5", filter: comparing("lt", "n", 5), target: { atMost: 1.5, goal: 0.7 } },
] as const;

const servers = await startServers();
for (const { storage } of servers.all)
  for (const { table, bytes } of sizes) {
    await storage.createTable(table);
    const rows = Array.from({ length: total }, (_, i) => thing(`p${Math.floor(i / perPartition)}`, i, bytes));
    for (let from = 0; from < total; from += perPartition)
      await insertThings(storage, table, rows.slice(from, from + perPartition));
  }

// Before all others, because a test that scans once pays for cold code.
const first = filters[0];
reportRow({
  name: "scan: the first of a process",
  title: `Scan of ${total.toLocaleString("en")} rows of 1 KB, the first of a process, ${first.what}, for each row`,
  counted,
  contenders: [
    { ...(await once(servers.azurite)), role: "baseline" },
    { ...(await once(servers.memory)), role: "ours", target: { atMost: 1.5 } },
    { ...(await once(servers.file)), role: "ours", target: { atMost: 1.5 } },
  ],
});

for (const { size, table } of sizes)
  for (const { what, filter, target } of filters) {
    const work = async (storage: TableStorage): Promise<void> => {
      // A single scan costs as little as reading the CPU time of a process.
      for (let i = 0; i < scans; i++) await scan(storage, table, filter);
    };
    await compare({
      name: `scan: ${what}, rows of ${size}`,
      title: `Scan of ${total.toLocaleString("en")} rows of ${size}, ${what}, for each row`,
      counted,
      rounds: 11,
      units: scans * total,
      sampleMs: 50,
      warmMs: 1500,
      baseline: atServer(servers.azurite, work),
      ours: [servers.memory, servers.file].map((each) => atServer(each, work, target)),
    });
  }
await servers.stop();

function comparing(op: "eq" | "lt", name: string, value: number | string): FilterNode {
  return typeof value === "number"
    ? { op, name, literal: { edm: "Edm.Int32", value } }
    : { op, name, literal: { edm: "Edm.String", value } };
}

async function once({ name, server, storage }: Served): Promise<{ name: string; samples: number[] }> {
  const before = await server.cpuMs();
  await scan(storage, "Large", first.filter);
  return { name, samples: [(((await server.cpuMs()) - before) * 1e6) / total] };
}

async function scan(storage: TableStorage, table: string, filter: FilterNode): Promise<void> {
  let found = 0;
  let after;
  do {
    const page = await storage.query(table, { filter, ...(after !== undefined && { after }) });
    found += page.entities.length;
    after = page.next;
  } while (after !== undefined);
  if (found === 0) throw new Error("The scan found nothing.");
}
