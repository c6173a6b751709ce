import { type Clock, clockOf, type ReadClock } from "./clocks.ts";
import type { ReportedContender, Target } from "./report.ts";
import { reportRow } from "./report-row.ts";

/** One way to do the work. */
export interface Contender {
  readonly name: string;
  readonly run: () => unknown;
  /** What has to be there before each run, such as a fresh file; its cost is not counted, and runs are not repeated in a sample. */
  readonly prepare?: () => unknown;
  /** How often the others do the work in the time that this one does it once; 1 when absent. */
  readonly times?: number;
  readonly target?: Target;
  /** What counts this one's cost, such as the CPU time of its server; the comparison's clock when absent. */
  readonly clock?: ReadClock;
}

export interface Comparison {
  /** What the row is called in reports; the benchmark's own name when absent. */
  readonly name?: string;
  readonly title: string;
  /** Measured rounds; in each, every contender runs once, in another order. */
  readonly rounds: number;
  readonly baseline: Contender;
  readonly ours: Contender | readonly Contender[];
  readonly peers?: readonly Contender[];
  /** Wall time when absent. */
  readonly clock?: Clock;
  /** What was counted, in words, where contenders have clocks of their own. */
  readonly counted?: string;
  /** Pieces of work that one run does: costs are printed for one of them. */
  readonly units?: number;
  /** Milliseconds that one sample lasts at least: short work is repeated within it. */
  readonly sampleMs?: number;
  /** Milliseconds that each contender works before it is measured; 0 for work that is long enough by itself, and runs once a round. */
  readonly warmMs?: number;
  /**
   * What is collected before each sample: by default young objects alone, since optimised code dies with the objects whose
   * shapes it knows, and no program collects all its garbage every few milliseconds.
   */
  readonly collect?: "major" | "minor";
}

/**
 * Measures contenders in turns, in one process, so that whatever else the machine does meets all of them, and reports them
 * as one row.
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

/** What each contender costs in each round, in nanoseconds for one piece of work. */
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

/** Works until the time is over; how often the work must be repeated to fill one sample. */
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

/** The same work `count` times: a single run of a few microseconds says little. */
export function repeat(count: number, work: () => unknown): () => Promise<void> {
  return async () => {
    for (let i = 0; i < count; i++) {
      const result = work();
      if (result instanceof Promise) await result;
    }
  };
}
