import { type Clock, clockOf, describeClock, type ReadClock } from "./clocks.ts";
import { printRow } from "./print-row.ts";
import { type Asked, benchmarkName, report, type ReportedContender, type ReportedRow } from "./report.ts";
import { median, quantile, ratioOf } from "./statistics.ts";

/** One way to do the work. */
interface Contender {
  readonly name: string;
  readonly run: () => unknown;
  /** How often the others do the work in the time that this one does it once; 1 when absent. */
  readonly times?: number;
  readonly asked?: Asked;
}

export interface Comparison {
  /** What the row is called in reports; the benchmark's own name when absent. */
  readonly name?: string;
  readonly title: string;
  /** Measured rounds; in each, every contender runs once, in another order. */
  readonly rounds: number;
  readonly floor: Contender;
  readonly ours: Contender | readonly Contender[];
  readonly peers?: readonly Contender[];
  /** Wall time when absent. */
  readonly clock?: Clock;
  /** Pieces of work that one run does: costs are printed for one of them. */
  readonly units?: number;
  /** Milliseconds that one sample lasts at least: short work is repeated within it. */
  readonly sampleMs?: number;
  /** Milliseconds that each contender works before it is measured. */
  readonly warmMs?: number;
  /**
   * What is collected before each sample: by default young objects alone, since optimised code dies with the objects whose
   * shapes it knows, and no program collects all its garbage every few milliseconds.
   */
  readonly collect?: "major" | "minor";
}

interface Role {
  readonly role: ReportedContender["role"];
  readonly contender: Contender;
}

/**
 * Measures contenders in turns, in one process, so that whatever else the machine does meets all of them. Prints and
 * reports medians, the median of each round's ratio to the floor, and the ratio of the lower quartiles.
 */
export async function compare(comparison: Comparison): Promise<void> {
  const { floor, ours, peers = [], clock = "wall" } = comparison;
  const roles: readonly Role[] = [
    { role: "floor", contender: floor },
    ...[ours].flat().map((contender) => ({ role: "ours" as const, contender })),
    ...peers.map((contender) => ({ role: "peer" as const, contender })),
  ];
  const costs = await measure(
    roles.map(({ contender }) => contender),
    comparison,
  );
  const row: ReportedRow = {
    benchmark: benchmarkName(),
    name: comparison.name ?? benchmarkName(),
    title: comparison.title,
    unit: "ns",
    clock,
    contenders: roles.map((role, i) => reported(role, costs, i, roles)),
  };
  printRow(row, describeClock(clock));
  report({ row });
}

/** What each contender costs in each round, in nanoseconds for one piece of work. */
async function measure(contenders: readonly Contender[], options: Comparison): Promise<readonly number[][]> {
  const { rounds, clock = "wall", units = 1, sampleMs = 20, warmMs = 300, collect = "minor" } = options;
  const now = clockOf(clock);
  const repeats: number[] = [];
  for (const { run } of contenders) repeats.push(await warmUp(run, now, { sampleMs, warmMs }));
  const costs = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < contenders.length; turn++) {
      const i = (turn + round) % contenders.length;
      const { run, times = 1 } = contenders[i] as Contender;
      const count = repeats[i] as number;
      globalThis.gc?.({ type: collect });
      costs[i]?.push(((await sample(run, count, now)) / count / units) * times);
    }
  return costs;
}

/** Works until the time is over; how often the work must be repeated to fill one sample. */
async function warmUp(
  run: Contender["run"],
  now: ReadClock,
  { sampleMs, warmMs }: { readonly sampleMs: number; readonly warmMs: number },
): Promise<number> {
  const started = now();
  let last = 0;
  do last = await sample(run, 1, now);
  while (now() - started < warmMs * 1e6);
  return Math.max(1, Math.round((sampleMs * 1e6) / Math.max(last, 1)));
}

async function sample(run: Contender["run"], count: number, now: ReadClock): Promise<number> {
  const started = now();
  for (let i = 0; i < count; i++) {
    const result = run();
    if (result instanceof Promise) await result;
  }
  return now() - started;
}

function reported(
  { role, contender: { name, asked } }: Role,
  costs: readonly (readonly number[])[],
  index: number,
  roles: readonly Role[],
): ReportedContender {
  const own = costs[index] ?? [];
  const peer =
    asked !== undefined && "peer" in asked
      ? roles.findIndex(({ contender }) => contender.name === asked.peer)
      : -1;
  if (asked !== undefined && "peer" in asked && peer < 0)
    throw new Error(`${name} is to be compared with ${asked.peer}, which is no contender of the row.`);
  return {
    name,
    role,
    median: median(own),
    low: quantile(own, 0.25),
    ratio: ratioOf(own, costs[0] ?? []),
    ...(asked !== undefined && { asked }),
    ...(peer >= 0 && { peerRatio: ratioOf(costs[peer] ?? [], own) }),
  };
}

/** The same work `count` times: a single run of a few microseconds says little. */
export function repeat(count: number, work: () => unknown): () => Promise<void> {
  return async () => {
    for (let i = 0; i < count; i++) {
      const result = work();
      if (result instanceof Promise) await result;
    }
  };
}
