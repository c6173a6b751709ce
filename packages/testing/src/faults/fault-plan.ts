import type { WriteOperation } from "@partita/core/storage";
import { type Fault, type FaultKind, faultKinds, faultPlaces, isPossibleFault, parseFault } from "./fault.ts";

/** One request to a storage with faults. */
export interface FaultedRequest {
  /** The number of the request, starting from 1, over all requests of the storage. */
  readonly number: number;
  readonly type: "query" | "get" | "write" | "transact" | "createTable" | "deleteTable" | "listTables";
  /** Empty for `listTables`. */
  readonly table: string;
  /** The operations of a write; empty for a read. */
  readonly operations: readonly WriteOperation[];
  /** The planned fault, once the plan has decided. */
  readonly fault?: Fault;
}

/**
 * Returns the fault of a request, or undefined for none. The request waits for the plan, so it may first do something
 * else, such as a write by another program.
 */
export type FaultPlan = (request: FaultedRequest) => Fault | undefined | Promise<Fault | undefined>;

/** A plan for writes only, in their order: `writeFaults("reset-after", undefined, "refused")`. */
export function writeFaults(...planned: readonly (Fault | undefined)[]): FaultPlan {
  for (const fault of planned) if (fault !== undefined) parseFault(fault);
  let next = 0;
  return ({ type }) => (type === "write" || type === "transact" ? planned[next++] : undefined);
}

/** The kinds and rate of random faults. */
export interface RandomFaultOptions {
  /** The same seed plans the same faults for the same requests. */
  readonly seed: number;
  /** The share of requests that fail: 0 to 1. */
  readonly rate: number;
  /** The kinds of faults; all when absent. */
  readonly kinds?: readonly FaultKind[];
}

/**
 * A plan by which a share of all requests fails, with a random kind and place.
 *
 * @throws TypeError if the seed is not a number, the rate is outside 0 to 1, or there are no kinds
 */
export function randomFaults({ seed, rate, kinds = faultKinds }: RandomFaultOptions): FaultPlan {
  if (!Number.isFinite(seed) || !(rate >= 0 && rate <= 1) || kinds.length === 0)
    throw new TypeError(
      "randomFaults({ seed, rate, kinds }) takes a number as seed, a rate of 0 to 1, and at least one kind.",
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

/** Random numbers from 0 (inclusive) to 1 (exclusive), by mulberry32, which is sufficient for tests. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
