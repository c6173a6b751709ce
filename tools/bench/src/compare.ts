import { type Clock, clockOf, type ReadClock } from "./clocks.ts";
import type { ReportedContender, Target } from "./report.ts";
import { reportRow } from "./report-row.ts";

/** One way to do the work. */
export interface Contender {
  readonly name: string;
  readonly run: () => unknown;
  /**
   * Preparation before each run, such as a fresh file. Its cost is not counted, and a sample has one run
   * only.
   */
  readonly prepare?: () => unknown;
  /** Number of times that the others do the work for each time that this one does. Default 1. */
  readonly times?: number;
  readonly target?: Target;
  /** The clock for this contender, such as the CPU time of its server. Defaults to the comparison's clock. */
  readonly clock?: ReadClock;
}

export interface Comparison {
  /** The name of the row in reports. Defaults to the benchmark's name. */
  readonly name?: string;
  readonly title: string;
  /** Measured rounds. In each, every contender runs once, in another order. */
  readonly rounds: number;
  readonly baseline: Contender;
  readonly ours: Contender | readonly Contender[];
  readonly peers?: readonly Contender[];
  /** Default: wall time. */
  readonly clock?: Clock;
  /** The measure in words, if contenders have their own clocks. */
  readonly counted?: string;
  /** Pieces of work in one run. Costs are printed per piece. */
  readonly units?: number;
  /** Minimum duration of a sample in milliseconds. Short work is repeated in it. */
  readonly sampleMs?: number;
  /**
   * Warm-up time of each contender, in milliseconds. 0 for work that is long enough, which runs once a round.
   */
  readonly warmMs?: number;
  /**
   * The garbage collection before each sample. By default only young objects, because a full collection
   * discards optimised code with its last objects, and no program runs one every few milliseconds.
   */
  readonly collect?: "major" | "minor";
}

/**
 * Measures contenders in turns in one process, so other load on the machine affects all of them, and reports
 * them as one row.
 */
export async function compare(comparison: Comparison): Promise<void> {
  const { baseline, ours, peers = [], clock = "wall" } = comparison;
  const contenders: readonly (Contender & { readonly role: ReportedContender["role"] })[] = [
    { ...baseline, role: "baseline" },
    ...[ours].flat().map((contender) => ({ ...contender, role: "ours" as const })),
    ...peers.map((contender) => ({ ...contender, role: "peer" as const })),
  ];
  const costs = await measure(contenders, comparison);
  reportRow({
    ...comparison,
    clock,
    contenders: contenders.map(({ name, role, target }, i) => ({
      name,
      role,
      target,
      samples: costs[i] as number[],
    })),
  });
}

/** The cost of each contender in each round, in nanoseconds per piece of work. */
async function measure(contenders: readonly Contender[], options: Comparison): Promise<readonly number[][]> {
  const { rounds, clock = "wall", units = 1, sampleMs = 20, warmMs = 300, collect = "minor" } = options;
  const clocks = contenders.map((contender) => contender.clock ?? clockOf(clock));
  const repeats: number[] = [];
  for (const [i, contender] of contenders.entries())
    repeats.push(warmMs === 0 ? 1 : await warmUp(contender, clocks[i] as ReadClock, { sampleMs, warmMs }));
  const costs = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < contenders.length; turn++) {
      const i = (turn + round) % contenders.length;
      const contender = contenders[i] as Contender;
      const count = repeats[i] as number;
      const cost = await sample(contender, count, clocks[i] as ReadClock, collect);
      costs[i]?.push((cost / count / units) * (contender.times ?? 1));
    }
  return costs;
}

/** Warms up for a time. Returns how often the work must be repeated to fill a sample. */
async function warmUp(
  contender: Contender,
  now: ReadClock,
  { sampleMs, warmMs }: { readonly sampleMs: number; readonly warmMs: number },
): Promise<number> {
  let [last, worked] = [0, 0];
  do {
    last = await sample(contender, 1, now);
    worked += last;
  } while (worked < warmMs * 1e6);
  if (contender.prepare !== undefined) return 1;
  return Math.max(1, Math.round((sampleMs * 1e6) / Math.max(last, 1)));
}

async function sample(
  { prepare, run }: Contender,
  count: number,
  now: ReadClock,
  collect?: Comparison["collect"],
): Promise<number> {
  await prepare?.();
  if (collect !== undefined) globalThis.gc?.({ type: collect });
  const started = await now();
  for (let i = 0; i < count; i++) {
    const result = run();
    if (result instanceof Promise) await result;
  }
  return (await now()) - started;
}

/** Repeats the work `count` times, because a single run of a few microseconds is too short to measure. */
export function repeat(count: number, work: () => unknown): () => Promise<void> {
  return async () => {
    for (let i = 0; i < count; i++) {
      const result = work();
      if (result instanceof Promise) await result;
    }
  };
}
