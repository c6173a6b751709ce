// What a table server does for a second of its CPU time: transactions of 100 rows of 1 KB, point reads, pages and scans.
// Beside Azurite and a bare server by hand, in the same run; all contenders take turns, round by round.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FilterNode, openStorage, type StoredEntity, type TableStorage } from "@partita/core";
import { startBareServer } from "./bare-server.ts";
import { type MeasuredServer, startAzurite, startOurServer } from "./scan-server.ts";

const [batches, reads, scans, rowsOfScans] = [20, 500, 20, 10_000];
const rounds = 9;
/**
 * Rounds before those: hundreds of transactions, thousands of point reads, hundreds of scans. A scan is one request, so after
 * a few of them the code of the request itself would still be cold, while a loop over rows is hot within the first.
 */
const warmUpRounds = 30;
const text = "The quick brown fox, 17 years old, jumps over the lazy dog. ".repeat(15);
const file = join(tmpdir(), `partita-server-${process.pid}.db`);

/** A server, and the storage that reaches it. */
interface Contender {
  readonly name: string;
  readonly server: MeasuredServer;
  readonly storage: TableStorage;
}

/** Some work, how much of it there is, and the figures that are asked of a server over memory and over a file. */
interface Work {
  readonly name: string;
  readonly unit: string;
  readonly count: number;
  /** Whether the bare server can do it. */
  readonly isBare?: true;
  /** Least times Azurite's work for the same CPU. */
  readonly atLeast: readonly [memory: number, file: number];
  run(storage: TableStorage, round: number): Promise<void>;
}

const entity = (partition: string, i: number): StoredEntity => ({
  PartitionKey: partition,
  RowKey: String(i).padStart(6, "0"),
  n: i,
  word: `word ${i}`,
  price: 1.5,
  "views@odata.type": "Edm.Int64",
  views: String(i * 1000),
  text,
});

const filterOf = (name: string, edm: "Edm.Int32" | "Edm.String", value: number | string): FilterNode => ({
  op: "eq",
  name,
  literal: { edm, value },
});

const works: readonly Work[] = [
  {
    name: "transactions of 100 x 1 KB",
    unit: "entities",
    count: batches * 100,
    atLeast: [6, 4],
    isBare: true,
    async run(storage, round) {
      for (let batch = 0; batch < batches; batch++)
        await insert(storage, "Written", `${round} ${batch}`, 100);
    },
  },
  {
    name: "point reads, 64 at once",
    unit: "entities",
    count: reads,
    atLeast: [6, 4],
    isBare: true,
    async run(storage, round) {
      let next = 0;
      const reader = async (): Promise<void> => {
        while (next < reads) {
          const i = (next++ * 37 + round) % rowsOfScans;
          const key = { partitionKey: `p${Math.floor(i / 2000)}`, rowKey: String(i % 2000).padStart(6, "0") };
          if ((await storage.get("Things", key)) === undefined) throw new Error("A row is missing.");
        }
      };
      await Promise.all(Array.from({ length: 64 }, reader));
    },
  },
  {
    name: "pages of 1000, all rows",
    unit: "entities",
    count: rowsOfScans,
    atLeast: [1, 1],
    run: (storage) => scan(storage, undefined, rowsOfScans),
  },
  {
    name: "scan for n eq 5",
    unit: "rows passed",
    count: scans * rowsOfScans,
    atLeast: [1, 1],
    run: (storage) => scanOften(storage, filterOf("n", "Edm.Int32", 5)),
  },
  {
    name: "scan for word eq 'word 5'",
    unit: "rows passed",
    count: scans * rowsOfScans,
    atLeast: [1, 1],
    run: (storage) => scanOften(storage, filterOf("word", "Edm.String", "word 5")),
  },
];

const contenders: readonly Contender[] = [
  await contender("Azurite, in memory", await startAzurite()),
  await contender("Partita's server over memory", await startOurServer("memory:")),
  await contender("Partita's server over a file", await startOurServer(`file:${file}`)),
];
const bare = await contender(
  "node:http and node:sqlite by hand, in memory, unchecked",
  await startBareServer(),
);
for (const work of works) await measure(work);
for (const { server, storage } of [...contenders, bare]) {
  await storage.close();
  await server.stop();
}
for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });

async function contender(name: string, server: MeasuredServer): Promise<Contender> {
  const storage = await openStorage(server.connectionString, {
    timeouts: { readMs: 120_000, writeMs: 120_000 },
  });
  for (const table of ["Written", "Things"]) await storage.createTable(table);
  for (let partition = 0; partition < rowsOfScans / 2000; partition++)
    await insert(storage, "Things", `p${partition}`, 2000);
  return { name, server, storage };
}

async function insert(storage: TableStorage, table: string, partition: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 100)
    await storage.transact(
      table,
      Array.from({ length: 100 }, (_, i) => ({ type: "insert", entity: entity(partition, from + i) })),
    );
}

/** A single scan costs as little as it does to ask a process for its CPU time, which would count as work of the server. */
async function scanOften(storage: TableStorage, filter: FilterNode): Promise<void> {
  for (let i = 0; i < scans; i++) await scan(storage, filter, rowsOfScans / 2000);
}

async function scan(storage: TableStorage, filter: FilterNode | undefined, expected: number): Promise<void> {
  let found = 0;
  let after;
  do {
    const page = await storage.query("Things", {
      ...(filter !== undefined && { filter }),
      ...(after !== undefined && { after }),
    });
    found += page.entities.length;
    after = page.next;
  } while (after !== undefined);
  if (found !== expected) throw new Error(`${found} rows were found, and ${expected} expected.`);
}

async function measure(work: Work): Promise<void> {
  const all = work.isBare === true ? [...contenders, bare] : contenders;
  const costs = all.map((): number[] => []);
  for (let round = -warmUpRounds; round < rounds; round++)
    for (const [i, { server, storage }] of all.entries()) {
      const before = await server.cpuMs();
      await work.run(storage, round + warmUpRounds);
      if (round >= 0) costs[i]?.push((await server.cpuMs()) - before);
    }
  const [floor = Number.NaN] = costs.map(median);
  console.log(
    `\n${work.name} (at least ${work.atLeast.join(" and ")} times the ${work.unit} for the same CPU)`,
  );
  for (const [i, { name }] of all.entries()) {
    const ms = median(costs[i] ?? []);
    const perSecond = Math.round((work.count * 1000) / ms).toLocaleString("en");
    console.log(
      `  ${perSecond.padStart(10)} ${work.unit} a second of CPU ${(floor / ms).toFixed(2).padStart(6)} ×  ${name}`,
    );
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
