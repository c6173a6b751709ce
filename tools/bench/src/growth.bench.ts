// The cost of calls while the number of entities grows from 1,000 to 1,000,000. Calls with all entities are
// counted per entity. A save of one entity is counted as one save, which shows its cost per tracked entity.
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
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
/** Maximum growth of the cost from the fewest to the most entities. Memory is slower than caches. */
const flat = 2.5;

/** The measured work in order, with its maximum growth. A save that compares all entities grows with them. */
const works = {
  "add, for each entity": flat,
  "save new entities, for each": flat,
  "read and track, for each entity": flat,
  "read again, for each entity": flat,
  "find a tracked entity": flat,
  "save one added entity": undefined,
  "save one changed entity": undefined,
  "save one changed entity, { only }": flat,
  "save one changed entity, explicit tracking": flat,
  "remove and save half, for each entity": flat,
  "remove the other half by a query, for each entity": flat,
} as const;
type Work = keyof typeof works;
type Costs = Record<Work, number>;

/** Saves of one entity for each measurement. */
const saves = 50;

const now = clockOf("thread");
// Twice the smallest sizes compile everything.
for (let i = 0; i < 5; i++) await costsOf(1_000);
await costsOf(10_000);

const points = new Map<Work, GrowthPoint[]>();
for (const entities of sizes) {
  const runs: Costs[] = [];
  // For small sizes, repeats until there are enough entities for a measurement.
  for (let run = 0; run < Math.min(20, Math.max(1, 100_000 / entities)); run++)
    runs.push(await costsOf(entities));
  for (const work of Object.keys(works) as Work[]) {
    const nsEach = median(runs.map((costs) => costs[work]));
    points.set(work, [...(points.get(work) ?? []), { entities, nsEach }]);
  }
}

console.log(
  `\nCPU time of the main thread, with ${sizes.map((size) => size.toLocaleString("en")).join(", ")} entities`,
);
for (const [work, own] of points) {
  const shown = own.map(({ nsEach }) => amount(nsEach, "ns").padStart(11)).join("");
  const growth = (own.at(-1)?.nsEach ?? Number.NaN) / (own[0]?.nsEach ?? Number.NaN);
  const atMost = works[work];
  console.log(
    `${shown}  ${growth.toFixed(2).padStart(7)} ×  ${work}${atMost === undefined ? "" : `  [target: at most ${atMost} ×]`}`,
  );
  report({
    growth: { benchmark: benchmarkName(), work, points: own, ...(atMost !== undefined && { atMost }) },
  });
}

/** The cost of each work with this many entities, in nanoseconds. */
async function costsOf(entities: number): Promise<Costs> {
  const costs: Partial<Costs> = {};
  const measure: Measure = async (work, count, run) => {
    globalThis.gc?.();
    const started = now();
    const result = await run();
    costs[work] = (now() - started) / count;
    return result;
  };
  await using storage = await openStorage("memory:");
  await createTables(storage, [Small]);
  await store(entities, storage, measure);
  const explicit = new TableContext(storage, { tracking: "explicit" });
  costs["save one changed entity, explicit tracking"] = await costOfExplicitSave(explicit);
  const context = new TableContext(storage);
  const all = await readAll(entities, context, measure);
  Object.assign(costs, await costsOfSaves(all, context));
  await measure("remove and save half, for each entity", entities / 2, async () => {
    for (let i = 0; i < entities; i += 2) context.remove(all[i] as Small);
    await context.saveChanges();
  });
  const rest = new TableContext(storage).query(Small).where({ group: 0 });
  await measure("remove the other half by a query, for each entity", entities / 2, () => rest.removeAll());
  return costs as Costs;
}

type Measure = <Result>(work: Work, count: number, run: () => Promise<Result>) => Promise<Result>;

async function store(entities: number, storage: TableStorage, measure: Measure): Promise<void> {
  const writer = new TableContext(storage);
  await measure("add, for each entity", entities, async () => {
    for (let id = 0; id < entities; id++) writer.add(small(id));
  });
  await measure("save new entities, for each", entities, () => writer.saveChanges());
}

async function readAll(entities: number, context: TableContext, measure: Measure): Promise<Small[]> {
  const query = context.query(Small).where({ group: 0 });
  const all = await measure("read and track, for each entity", entities, () => query.toArray());
  await measure("read again, for each entity", entities, () => query.toArray());
  await measure("find a tracked entity", 1_000, async () => {
    for (let i = 0; i < 1_000; i++)
      await context.find(Small, { group: 0, id: Math.floor((i * entities) / 1_000) });
  });
  return all;
}

/** The median cost of a save. The first ones visit all entities once, and sometimes V8 collects garbage. */
async function costOfSave(save: (i: number) => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const costs: number[] = [];
  for (let i = 0; i < saves; i++) {
    const started = now();
    await save(i);
    costs.push(now() - started);
  }
  return median(costs);
}

async function costsOfSaves(
  all: readonly Small[],
  context: TableContext,
): Promise<
  Pick<Costs, "save one added entity" | "save one changed entity" | "save one changed entity, { only }">
> {
  return {
    "save one added entity": await costOfSave((i) => {
      context.add(small(i, 1));
      return context.saveChanges();
    }),
    "save one changed entity": await costOfSave((i) => {
      (all[i] as Small).count += 1;
      return context.saveChanges();
    }),
    "save one changed entity, { only }": await costOfSave((i) => {
      const entity = all[i] as Small;
      entity.count += 1;
      return context.saveChanges({ only: [entity] });
    }),
  };
}

async function costOfExplicitSave(context: TableContext): Promise<number> {
  const all = await context.query(Small).where({ group: 0 }).toArray();
  return costOfSave((i) => {
    const entity = all[i] as Small;
    entity.count += 1;
    context.update(entity, "count");
    return context.saveChanges();
  });
}

function small(id: number, group: number = 0): Small {
  return new Small({
    group,
    id,
    name: `Name ${id}`,
    count: id % 1000,
    note: "a note of some length",
    state: "open",
  });
}
