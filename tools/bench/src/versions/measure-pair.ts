import { fork } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { worksNames } from "./works.ts";

/** The cost of one save in each round, in nanoseconds: of the baseline, and of the other checkout. */
export type PairCosts = readonly [readonly number[], readonly number[]];

/** A request to a process: warm up, or measure the cost of one of `count` saves. */
export interface Order {
  readonly work: string;
  /** Absent: warm up, and return the number of saves in one sample. */
  readonly count?: number;
}

/**
 * Measures both checkouts in turns, each in its own process, so other programs affect both of them equally.
 *
 * @returns costs by the name of the work
 */
export async function measurePair(
  folders: readonly [string, string],
  rounds: number,
): Promise<ReadonlyMap<string, PairCosts>> {
  const sides = [worker(folders[0]), worker(folders[1])] as const;
  try {
    const found = new Map<string, PairCosts>();
    for (const work of worksNames) {
      const count = Math.max(await sides[0].ask({ work }), await sides[1].ask({ work }));
      const costs: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++)
        // The first of a round is the last of the round before, so a slow period affects both.
        for (const i of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
          costs[i].push(await sides[i].ask({ work, count }));
      found.set(work, costs);
    }
    return found;
  } finally {
    for (const side of sides) side.end();
  }
}

interface Worker {
  ask(order: Order): Promise<number>;
  end(): void;
}

function worker(folder: string): Worker {
  const child = fork(join(import.meta.dirname, "worker.ts"), [resolve(folder)], {
    // In one thread, so its CPU time includes garbage collection and compilation.
    execArgv: ["--expose-gc", "--single-threaded", "--conditions=@partita/source"],
  });
  const ended = once(child, "exit").then(([code]): never => {
    throw new Error(`The process of ${folder} ended with ${code}.`);
  });
  ended.catch(() => undefined);
  return {
    async ask(order) {
      const answered = once(child, "message");
      child.send(order);
      const [cost] = (await Promise.race([answered, ended])) as [number];
      return cost;
    },
    end: () => void child.kill(),
  };
}
