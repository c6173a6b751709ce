// What work on one entity costs while their number grows from 1,000 to 1,000,000: the lines are to be flat.
import { createTables, defineEntity, int32, openStorage, TableContext, text } from "@partita/core";
import { padded } from "@partita/core/keys";
import { clockOf } from "./clocks.ts";
import { amount } from "./print-row.ts";
import { benchmarkName, type GrowthPoint, report } from "./report.ts";
import { median } from "./statistics.ts";

class Small extends defineEntity({
  table: "Smalls",
  partitionKey: { group: padded(4) },
  rowKey: { id: padded(9) },
  properties: { name: text(), count: int32(), note: text(), state: text() },
}) {}

const most = Number(process.env["PARTITA_ROWS"] ?? 1_000_000);
const sizes = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= most);
/** How often the cost with the fewest entities the cost with the most may be: memory is slower than caches. */
const atMost = 2.5;

/** What is measured, in the order of the work. */
const works = [
  "add",
  "save new ones",
  "read, tracked",
  "read again, all tracked",
  "find a tracked one",
  "pending changes, nothing changed",
  "save, 1 % of them changed",
  "remove and save half",
  "remove the other half by a query",
] as const;
type Work = (typeof works)[number];
type Costs = Record<Work, number>;

const now = clockOf("thread");
// Twice the smallest sizes compile everything.
for (let i = 0; i < 5; i++) await costsOf(1_000);
await costsOf(10_000);

const points = new Map<Work, GrowthPoint[]>(works.map((work) => [work, []]));
for (const entities of sizes) {
  const runs: Costs[] = [];
  // As many entities in all for the small sizes as make a measurement.
  for (let run = 0; run < Math.min(20, Math.max(1, 100_000 / entities)); run++)
    runs.push(await costsOf(entities));
  for (const work of works)
    points.get(work)?.push({ entities, nsEach: median(runs.map((costs) => costs[work])) });
}

console.log(
  `\nFor each entity, CPU time of the main thread, with ${sizes.map((size) => size.toLocaleString("en")).join(", ")} entities`,
);
for (const work of works) {
  const own = points.get(work) ?? [];
  const shown = own.map(({ nsEach }) => amount(nsEach, "ns").padStart(9)).join("");
  const growth = (own.at(-1)?.nsEach ?? Number.NaN) / (own[0]?.nsEach ?? Number.NaN);
  console.log(`${shown}  ${growth.toFixed(2).padStart(5)} ×  ${work}  [asked: at most ${atMost} ×]`);
  report({ growth: { benchmark: benchmarkName(), work, points: own, atMost } });
}

/** What each work costs for one entity, in nanoseconds, with so many of them. */
async function costsOf(entities: number): Promise<Costs> {
  const costs: Partial<Costs> = {};
  const measure = async <Result>(work: Work, count: number, run: () => Result): Promise<Awaited<Result>> => {
    globalThis.gc?.();
    const started = now();
    const result = await run();
    costs[work] = (now() - started) / count;
    return result;
  };
  await using storage = await openStorage("memory:");
  await createTables(storage, [Small]);
  await store(entities, storage, measure);
  await change(entities, new TableContext(storage), measure);
  const query = new TableContext(storage).query(Small).where({ group: 0 });
  await measure("remove the other half by a query", entities / 2, () => query.removeAll());
  return costs as Costs;
}

type Measure = <Result>(work: Work, count: number, run: () => Result) => Promise<Awaited<Result>>;

async function store(
  entities: number,
  storage: ConstructorParameters<typeof TableContext>[0],
  measure: Measure,
): Promise<void> {
  const writer = new TableContext(storage);
  await measure("add", entities, () => {
    for (let id = 0; id < entities; id++) writer.add(small(id));
  });
  await measure("save new ones", entities, () => writer.saveChanges());
}

async function change(entities: number, context: TableContext, measure: Measure): Promise<void> {
  const query = context.query(Small).where({ group: 0 });
  const all = await measure("read, tracked", entities, () => query.toArray());
  await measure("read again, all tracked", entities, () => query.toArray());
  await measure("find a tracked one", 1_000, async () => {
    for (let i = 0; i < 1_000; i++)
      await context.find(Small, { group: 0, id: Math.floor((i * entities) / 1_000) });
  });
  await measure("pending changes, nothing changed", entities, () => context.pendingChanges());
  for (let i = 0; i < entities; i += 100) (all[i] as Small).count += 1;
  await measure("save, 1 % of them changed", entities, () => context.saveChanges());
  await measure("remove and save half", entities / 2, async () => {
    for (let i = 0; i < entities; i += 2) context.remove(all[i] as Small);
    await context.saveChanges();
  });
}

function small(id: number): Small {
  return new Small({
    group: 0,
    id,
    name: `Name ${id}`,
    count: id % 1000,
    note: "a note of some length",
    state: "open",
  });
}
