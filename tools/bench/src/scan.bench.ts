// A scan of 20,000 rows of 1 KB for one of them: CPU time of the server's process alone, beside Azurite's in the same run.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FilterNode, openStorage, type TableStorage } from "@partita/core";
import { type MeasuredServer, startAzurite, startOurServer } from "./scan-server.ts";

const total = 20_000;
/** Scans of each filter that are measured: the first of all, then those after as many that only warm the process up. */
const rounds = 21;
const text = "The quick brown fox, 17 years old, jumps over the lazy dog. ".repeat(15);

const filters: readonly (readonly [name: string, filter: FilterNode])[] = [
  ["n eq 5, a number", { op: "eq", name: "n", literal: { edm: "Edm.Int32", value: 5 } }],
  ["word eq 'word 5', text", { op: "eq", name: "word", literal: { edm: "Edm.String", value: "word 5" } }],
  ["n lt 5, where each row must be parsed", { op: "lt", name: "n", literal: { edm: "Edm.Int32", value: 5 } }],
];

/** Something that answers queries, and what it has cost so far. */
interface Contender {
  readonly name: string;
  readonly storage: TableStorage;
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

const files = ["served", "own"].map((name) => join(tmpdir(), `partita-scan-${process.pid}-${name}.db`));
const contenders: Contender[] = [
  await served("Azurite, in memory", await startAzurite()),
  await served("Partita's server over memory", await startOurServer("memory:")),
  await served("Partita's server over a file", await startOurServer(`file:${files[0]}`)),
  await inProcess("Partita in this process, memory", "memory:"),
  await inProcess("Partita in this process, a file", `file:${files[1]}`),
];
for (const { storage } of contenders) await fill(storage);

for (const [name, filter] of filters) {
  console.log(`\nScan of ${total.toLocaleString("en")} rows of 1 KB: ${name} (limit 1)`);
  const costs = contenders.map((): number[] => []);
  const pages = contenders.map(() => 0);
  for (let round = 0; round < 2 * rounds; round++)
    for (const [i, contender] of contenders.entries()) {
      const before = await contender.cpuMs();
      pages[i] = await scan(contender.storage, filter);
      if (round === 0 || round >= rounds) costs[i]?.push((await contender.cpuMs()) - before);
    }
  for (const [i, contender] of contenders.entries()) print(contender.name, costs, i, pages[i] ?? 0);
}

for (const contender of contenders) {
  await contender.storage.close();
  await contender.stop();
}
for (const file of files) for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });

async function served(name: string, server: MeasuredServer): Promise<Contender> {
  const storage = await openStorage(server.connectionString);
  return { name, storage, cpuMs: () => server.cpuMs(), stop: () => server.stop() };
}

async function inProcess(name: string, target: string): Promise<Contender> {
  const storage = await openStorage(target, { durability: "normal" });
  const cpuMs = (): Promise<number> => {
    const { user, system } = process.cpuUsage();
    return Promise.resolve((user + system) / 1000);
  };
  return { name, storage, cpuMs, stop: () => Promise.resolve() };
}

async function fill(storage: TableStorage): Promise<void> {
  await storage.createTable("Things");
  for (let from = 0; from < total; from += 100)
    await storage.transact(
      "Things",
      Array.from({ length: 100 }, (_, i) => ({
        type: "insert",
        entity: {
          PartitionKey: `p${Math.floor(from / 2000)}`,
          RowKey: String(from + i).padStart(6, "0"),
          n: from + i,
          word: `word ${from + i}`,
          price: 1.5,
          "views@odata.type": "Edm.Int64",
          views: String((from + i) * 1000),
          text,
        },
      })),
    );
}

/** Reads every page; how many there were. */
async function scan(storage: TableStorage, filter: FilterNode): Promise<number> {
  let pages = 0;
  let found = 0;
  let after;
  do {
    const page = await storage.query("Things", { filter, ...(after !== undefined && { after }) });
    pages++;
    found += page.entities.length;
    after = page.next;
  } while (after !== undefined);
  if (found === 0) throw new Error("The scan found nothing.");
  return pages;
}

/** The first scan of a process, which a test pays for, and the median of the others. */
function print(name: string, costs: readonly number[][], i: number, pages: number): void {
  const [first = 0, ...warm] = costs[i] ?? [];
  const [floorFirst = 0, ...floorWarm] = costs[0] ?? [];
  const perRow = (ms: number): string => ((ms * 1000) / total).toFixed(2).padStart(5);
  const ratio = (ms: number, floor: number): string => (ms / floor).toFixed(2).padStart(5);
  console.log(
    `  first ${perRow(first)} µs a row ${ratio(first, floorFirst)} ×   then ${perRow(median(warm))} µs a row ${ratio(median(warm), median(floorWarm))} ×   ${pages} page${pages === 1 ? " " : "s"}  ${name}`,
  );
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
