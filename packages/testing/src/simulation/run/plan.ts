import { type Fault, faultPlaces, type FaultKind, faultKinds, isPossibleFault } from "../../faults/fault.ts";
import { type FaultedRequest, type FaultPlan, randomNumbers } from "../../faults/fault-plan.ts";
import type { SimulatedFaults } from "../simulate-options.ts";

/** Numbers of 0 up to 1 that depend on a seed and on what they are for, and on nothing else that is drawn. */
export function randomFor(seed: number, purpose: string): () => number {
  // FNV-1a: spreads texts over 32 bits.
  let hash = 0x811c9dc5;
  for (const char of `${seed} ${purpose}`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return randomNumbers(hash);
}

/** One thing that can happen next. */
export interface Choice {
  /** The same in each run in which the same happened before to the same actor. */
  readonly id: string;
  readonly actor: string;
  readonly kind: "request" | "late" | "time";
}

/** Decides everything that a run leaves open. */
export interface Plan {
  readonly seed: number;
  /** Which of several things happens next. */
  readonly choose: (enabled: readonly Choice[]) => Choice;
  faultOf(id: string, request: FaultedRequest): Fault | undefined | Promise<Fault | undefined>;
  /** Requests that an actor sends before it stops for good; undefined for one that comes to its end. */
  requestsBeforeStop(actor: string): number | undefined;
  runsStep(actor: string, step: number): boolean;
}

/** What a seed decides. */
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

/** What is late is to be passed by others, and time is not to run away from those who work. */
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

/** Everything a run left open, written down: what is shrunk. */
export interface WrittenPlan {
  readonly seed: number;
  /** Ids of what happened, in order. What is not possible yet waits; the others go before it. */
  readonly schedule: readonly string[];
  readonly faults: ReadonlyMap<string, Fault>;
  readonly stops: ReadonlyMap<string, number>;
  /** Steps that are left out: `actor/step`. */
  readonly skipped: ReadonlySet<string>;
}

/** A plan that was written down. Where its schedule is at its end, whoever works goes on. */
export function planOfWritten({ seed, schedule, faults, stops, skipped }: WrittenPlan): Plan {
  const left = [...schedule];
  let last = "";
  /** The first that is possible: what others wait for may come later. */
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

/** The one who worked last goes on, else the first one who can; nothing arrives before it must. */
function goOn(enabled: readonly Choice[], last: string): Choice {
  const requests = enabled.filter(({ kind }) => kind === "request");
  return (
    requests.find(({ actor }) => actor === last) ??
    requests[0] ??
    enabled.find(({ kind }) => kind === "time") ??
    (enabled[0] as Choice)
  );
}
