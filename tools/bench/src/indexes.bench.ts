// The cost of secondary indexes: saves of 100 entities with none, one and two full copies, compared with the
// same hand-written rows, and "the first ten who are 50 or older" among 100,000, compared with the same range
// by hand on node:sqlite.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createTables, openStorage, TableContext, type TableStorage } from "@partita/core";
import { compare, repeat } from "./compare.ts";
import { rowsByHand, Runner, RunnerByAge, RunnerByAgeAndClub, runnerValues } from "./runners.ts";

const saves = 10;
const perSave = 100;
const perTransaction = 100;

/** Each run fills its own store, in saves of 100 entities. */
async function fill(save: (storage: TableStorage, from: number) => Promise<unknown>): Promise<void> {
  await using storage = await openStorage("memory:");
  await storage.createTable("Runners");
  for (let i = 0; i < saves; i++) await save(storage, i * perSave);
}

const byPartita = (RunnerClass: typeof Runner) => () =>
  fill(async (storage, from) => {
    const context = new TableContext(storage);
    for (let i = 0; i < perSave; i++) context.add(new RunnerClass(runnerValues("Oslo", from + i)));
    await context.saveChanges();
  });

/** As many complete entities per transaction as fit. */
const byHand = (copies: number) => () =>
  fill(async (storage, from) => {
    const each = Math.floor(perTransaction / (1 + copies));
    const transactions: Promise<unknown>[] = [];
    for (let first = 0; first < perSave; first += each) {
      const count = Math.min(each, perSave - first);
      const rows = Array.from({ length: count }, (_, i) =>
        rowsByHand(runnerValues("Oslo", from + first + i), copies),
      ).flat();
      transactions.push(
        storage.transact(
          "Runners",
          rows.map((entity) => ({ type: "insert", entity })),
        ),
      );
    }
    await Promise.all(transactions);
  });

for (const [copies, RunnerClass, what] of [
  [0, Runner, "without an index"],
  [1, RunnerByAge, "with one full copy"],
  [2, RunnerByAgeAndClub, "with two full copies"],
] as const)
  await compare({
    name: `indexes ${copies}`,
    title: `Saves of 100 new entities ${what}, for each entity`,
    clock: "process",
    rounds: 21,
    units: saves * perSave,
    warmMs: 1000,
    baseline: { name: "the same rows by hand, transactions of the same store", run: byHand(copies) },
    ours: {
      name: "Partita",
      ...(copies > 0 && { target: { atMost: 1.15 } }),
      run: byPartita(RunnerClass as typeof Runner),
    },
  });

const total = Number(process.env["PARTITA_ROWS"] ?? 100_000);
const file = join(tmpdir(), `partita-indexes-${process.pid}.db`);
const storage = await openStorage(`file:${file}`, { durability: "normal" });
await createTables(storage, [RunnerByAge]);
for (let from = 0; from < total; from += 50) {
  const rows = Array.from({ length: 50 }, (_, i) => rowsByHand(runnerValues("Oslo", from + i), 1)).flat();
  await storage.transact(
    "Runners",
    rows.map((entity) => ({ type: "insert", entity })),
  );
}

const database = new DatabaseSync(file, { readOnly: true });
const { name } = database
  .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'rows%'")
  .get() as { name: string };
const select = database.prepare(
  `SELECT rk, body FROM ${name} WHERE pk = ? AND rk >= 'AGE:050' AND rk < 'AGE;' ORDER BY rk LIMIT 10`,
);

function veteransByHand(): RunnerByAge[] {
  return (select.all("Oslo") as unknown as { rk: string; body: string | Uint8Array }[]).map(
    ({ rk, body }) => {
      const text = typeof body === "string" ? body : Buffer.from(body).toString();
      const { registeredOn, ...stored } = JSON.parse(text) as Stored;
      return new RunnerByAge({
        ...stored,
        race: "Oslo",
        bib: Number(rk.slice(-6)),
        registeredOn: new Date(registeredOn),
      });
    },
  );
}

type Stored = Omit<ReturnType<typeof runnerValues>, "registeredOn"> & { readonly registeredOn: string };

let requests = 0;
const context = new TableContext(storage, { hooks: { sending: () => void requests++ } });
const ask = () =>
  context
    .query(RunnerByAge)
    .via("byAge")
    .where((runner) => [runner.race.eq("Oslo"), runner.age.ge(50)])
    .mergeOption("noTracking")
    .take(10);
await ask().toArray();
console.log(`\n${String(ask().explain())} · ${requests} request`);
if (requests !== 1) throw new Error(`The first ten took ${requests} requests.`);

const again = new TableContext(storage)
  .query(RunnerByAge)
  .via("byAge")
  .where((runner) => [runner.race.eq("Oslo"), runner.age.ge(50)])
  .mergeOption("noTracking")
  .take(10);
const runs = 200;
await compare({
  name: "indexes first ten",
  title: `The first ten who are 50 or older among ${total.toLocaleString("en")} runners`,
  clock: "thread",
  rounds: 31,
  units: runs,
  warmMs: 1000,
  baseline: {
    name: "node:sqlite by hand, into the same class",
    run: repeat(runs, async () => check(veteransByHand())),
  },
  ours: [
    {
      name: "the same query again",
      target: { atMost: 1.5 },
      run: repeat(runs, async () => check(await again.toArray())),
    },
    { name: "the query written anew", run: repeat(runs, async () => check(await ask().toArray())) },
  ],
});

database.close();
await storage.close();
for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });

function check(found: readonly RunnerByAge[]): void {
  if (found.length !== 10 || found.some(({ age }) => age !== 50))
    throw new Error(`Found ${found.length} runners.`);
}
