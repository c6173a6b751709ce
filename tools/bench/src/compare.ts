/** One way to do the work. */
interface Contender {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export interface Comparison {
  readonly title: string;
  /** Measured rounds, after one that is not counted; in each, every contender runs once, in turn. */
  readonly rounds: number;
  readonly ours: Contender;
  readonly floor: Contender;
  readonly peers?: readonly Contender[];
}

/** Times contenders in turns and prints medians, and each as a ratio to the floor's time of the same round. */
export async function compare({ title, rounds, ours, floor, peers = [] }: Comparison): Promise<void> {
  const contenders = [floor, ours, ...peers];
  const times = contenders.map((): number[] => []);
  for (let round = -1; round < rounds; round++) {
    for (const [i, contender] of contenders.entries()) {
      const ms = await timed(contender.run);
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

async function timed(run: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const started = performance.now();
  await run();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
