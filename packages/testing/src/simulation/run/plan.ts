import { type Fault, faultPlaces, type FaultKind, faultKinds, isPossibleFault } from "../../faults/fault.ts";
import { type FaultedRequest, type FaultPlan, randomNumbers } from "../../faults/fault-plan.ts";
import type { SimulatedFaults } from "../simulate-options.ts";

/**
 * Random numbers from 0 (inclusive) to 1 (exclusive) that depend only on the seed and the purpose, not on other draws.
 */
export function randomFor(seed: number, purpose: string): () => number {
  // FNV-1a: spreads texts over 32 bits.
  let hash = 0x811c9dc5;
  for (const char of `${seed} ${purpose}`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return randomNumbers(hash);
}

/** An event that can happen next. */
export interface Choice {
  /** The same in all runs with the same history of its actor. */
  readonly id: string;
  readonly actor: string;
  readonly kind: "request" | "late" | "time";
}

/** Makes all choices of a run. */
export interface Plan {
  readonly seed: number;
  /** Chooses the next event. */
  readonly choose: (enabled: readonly Choice[]) => Choice;
  faultOf(id: string, request: FaultedRequest): Fault | undefined | Promise<Fault | undefined>;
  /** The number of requests after which an actor stops for good; undefined if it finishes. */
  requestsBeforeStop(actor: string): number | undefined;
  runsStep(actor: string, step: number): boolean;
}

/** The plan of a seed. */
export function planOfSeed(seed: number, faults: SimulatedFaults | ((seed: number) => FaultPlan)): Plan {
  const random = randomFor(seed, "schedule");
  return {
    seed,
    choose: (enabled) => weighted(enabled, random),
    faultOf: typeof faults === "function" ? faultsOfPlan(faults(seed)) : faultsOfSeed(seed, faults),
    requestsBeforeStop: (actor) => {
      const draw = randomFor(seed, `stop ${actor}`);
      const { stops = 0 } = typeof faults === "function" ? {} : faults;
      return draw() < stops ? 1 + Math.floor(draw() * 12) : undefined;
    },
    runsStep: () => true,
  };
}

/** Late requests should be overtaken by others, and time should not run ahead of active actors. */
const weights: Readonly<Record<Choice["kind"], number>> = { request: 1, time: 0.5, late: 0.25 };

function weighted(enabled: readonly Choice[], random: () => number): Choice {
  const sum = enabled.reduce((total, { kind }) => total + weights[kind], 0);
  let left = random() * sum;
  for (const choice of enabled) {
    left -= weights[choice.kind];
    if (left < 0) return choice;
  }
  return enabled.at(-1) as Choice;
}

const faultsOfPlan =
  (plan: FaultPlan): Plan["faultOf"] =>
  (_id, request) =>
    plan(request);

function faultsOfSeed(
  seed: number,
  { rate = 0, late = 0.5, kinds = faultKinds }: SimulatedFaults,
): Plan["faultOf"] {
  const [arriving, others] = [faultsAt(kinds, true), faultsAt(kinds, false)];
  return (id, { operations }) => {
    if (rate === 0) return undefined;
    const draw = randomFor(seed, `fault ${id}`);
    if (draw() >= rate) return undefined;
    const isLate = operations.length > 0 && arriving.length > 0 && draw() < late;
    const possible = isLate || others.length === 0 ? arriving : others;
    return possible[Math.floor(draw() * possible.length)];
  };
}

const faultsAt = (kinds: readonly FaultKind[], isLate: boolean): Fault[] =>
  kinds.flatMap((kind) =>
    faultPlaces
      .filter((place) => isPossibleFault(kind, place) && (place === "late") === isLate)
      .map((place): Fault => `${kind}-${place}`),
  );

/** All choices of a run as data, for shrinking. */
export interface WrittenPlan {
  readonly seed: number;
  /** IDs of events in order. An event that is not possible yet waits while others go first. */
  readonly schedule: readonly string[];
  readonly faults: ReadonlyMap<string, Fault>;
  readonly stops: ReadonlyMap<string, number>;
  /** Skipped steps: `actor/step`. */
  readonly skipped: ReadonlySet<string>;
}

/** The plan for written choices. After the end of its schedule, the active actor continues. */
export function planOfWritten({ seed, schedule, faults, stops, skipped }: WrittenPlan): Plan {
  const left = [...schedule];
  let last = "";
  /** The first possible event; earlier ones in the schedule may become possible later. */
  const scheduled = (enabled: readonly Choice[]): Choice | undefined => {
    const possible = new Map(enabled.map((choice) => [choice.id, choice]));
    const at = left.findIndex((id) => possible.has(id));
    return at < 0 ? undefined : possible.get(left.splice(at, 1)[0] as string);
  };
  return {
    seed,
    choose(enabled) {
      const choice = scheduled(enabled) ?? goOn(enabled, last);
      if (choice.kind === "request") last = choice.actor;
      return choice;
    },
    faultOf: (id) => faults.get(id),
    requestsBeforeStop: (actor) => stops.get(actor),
    runsStep: (actor, step) => !skipped.has(`${actor}/${step}`),
  };
}

/**
 * The last active actor continues, otherwise the first one that can; late requests arrive at the last possible moment.
 */
function goOn(enabled: readonly Choice[], last: string): Choice {
  const requests = enabled.filter(({ kind }) => kind === "request");
  return (
    requests.find(({ actor }) => actor === last) ??
    requests[0] ??
    enabled.find(({ kind }) => kind === "time") ??
    (enabled[0] as Choice)
  );
}
