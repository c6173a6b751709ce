import type { WriteOperation } from "@partita/core/storage";
import { type Fault, type FaultKind, faultKinds, faultPlaces, isPossibleFault, parseFault } from "./fault.ts";

/** One request that reached a faulty storage. */
export interface FaultedRequest {
  /** Counted from 1, over all requests of the storage. */
  readonly number: number;
  readonly type: "query" | "get" | "write" | "transact" | "createTable" | "deleteTable" | "listTables";
  /** Empty for `listTables`. */
  readonly table: string;
  /** What a write does; empty for a read. */
  readonly operations: readonly WriteOperation[];
  /** What went wrong with it, once the plan has said so. */
  readonly fault?: Fault;
}

/**
 * Says what goes wrong with a request; undefined for nothing. It may do something first, such as a write of somebody
 * else: the request waits for it.
 */
export type FaultPlan = (request: FaultedRequest) => Fault | undefined | Promise<Fault | undefined>;

/** A plan for the writes only, in their order: `writeFaults("reset-after", undefined, "refused")`. */
export function writeFaults(...planned: readonly (Fault | undefined)[]): FaultPlan {
  for (const fault of planned) if (fault !== undefined) parseFault(fault);
  let next = 0;
  return ({ type }) => (type === "write" || type === "transact" ? planned[next++] : undefined);
}

/** Which faults a random plan makes, and how often. */
export interface RandomFaultOptions {
  /** The same seed plans the same faults for the same requests. */
  readonly seed: number;
  /** How many requests fail: 0 to 1. */
  readonly rate: number;
  /** Kinds to choose from; all when absent. */
  readonly kinds?: readonly FaultKind[];
}

/** A plan that lets a part of all requests fail, each in some way at some place. */
export function randomFaults({ seed, rate, kinds = faultKinds }: RandomFaultOptions): FaultPlan {
  if (!Number.isFinite(seed) || !(rate >= 0 && rate <= 1) || kinds.length === 0)
    throw new TypeError(
      "randomFaults({ seed, rate, kinds }) takes a number, a rate of 0 to 1, and at least one kind.",
    );
  for (const kind of kinds) parseFault(kind);
  const random = randomNumbers(seed);
  const possible = kinds.flatMap((kind) =>
    faultPlaces.filter((place) => isPossibleFault(kind, place)).map((place): Fault => `${kind}-${place}`),
  );
  return () => {
    const fails = random() < rate;
    const fault = possible[Math.floor(random() * possible.length)];
    return fails ? fault : undefined;
  };
}

/** Numbers from 0 up to 1: mulberry32, small and good enough for tests. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
