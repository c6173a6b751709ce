/** One way to do the work. */
interface Contender {
  readonly name: string;
  readonly run: () => Promise<void>;
  /** How often the others do the work in the time that this one does it once; 1 when absent. */
  readonly times?: number;
}

export interface Comparison {
  readonly title: string;
  /** Measured rounds, after one that is not counted; in each, every contender runs once, in turn. */
  readonly rounds: number;
  readonly ours: Contender;
  readonly floor: Contender;
  readonly peers?: readonly Contender[];
  /** Counts the CPU time of this process instead of wall time. */
  readonly cpu?: boolean;
}

/** Times contenders in turns and prints medians, and each as a ratio to the floor's time of the same round. */
export async function compare({
  title,
  rounds,
  ours,
  floor,
  peers = [],
  cpu = false,
}: Comparison): Promise<void> {
  const contenders = [floor, ours, ...peers];
  const times = contenders.map((): number[] => []);
  for (let round = -1; round < rounds; round++) {
    for (const [i, contender] of contenders.entries()) {
      const ms = (await timed(contender.run, cpu)) * (contender.times ?? 1);
      if (round >= 0) times[i]?.push(ms);
    }
  }
  console.log(`\n${title}`);
  for (const [i, { name }] of contenders.entries()) {
    const own = times[i] ?? [];
    const ratios = own.map((ms, round) => ms / (times[0]?.[round] ?? Number.NaN));
    console.log(
      `  ${median(own).toFixed(1).padStart(9)} ms  ${median(ratios).toFixed(2).padStart(6)} ×  ${name}`,
    );
  }
}

/** The same work `count` times: a single run of a few milliseconds says little. */
export function repeat(count: number, work: () => void | Promise<void>): () => Promise<void> {
  return async () => {
    for (let i = 0; i < count; i++) await work();
  };
}

async function timed(run: () => Promise<void>, cpu: boolean): Promise<number> {
  globalThis.gc?.();
  const startedCpu = process.cpuUsage();
  const started = performance.now();
  await run();
  const { user, system } = process.cpuUsage(startedCpu);
  return cpu ? (user + system) / 1000 : performance.now() - started;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
