import { OptionError, type TableStorage } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import {
  abortSignal,
  accepted,
  aFunction,
  type CheckOptions,
  defineOptions,
  wholeNumber,
} from "@partita/core/internal";
import { type FaultKind, faultKinds } from "../faults/fault.ts";
import type { FaultPlan } from "../faults/fault-plan.ts";
import type { Scenario } from "./scenario.ts";

/** What goes wrong in a simulation, as each seed draws it. */
export interface SimulatedFaults {
  /** How many requests fail: 0 (default) to 1. */
  readonly rate?: number | undefined;
  /** How many of the writes that fail arrive late, after their actor was given an error: 0 to 1; default 0.5. */
  readonly late?: number | undefined;
  /** Kinds to choose from; all when absent. */
  readonly kinds?: readonly FaultKind[] | undefined;
  /** How many actors stop for good somewhere, as a process that is killed: 0 (default) to 1. */
  readonly stops?: number | undefined;
}

/** The time of a simulation. */
export interface SimulatedClock {
  /** Milliseconds since 1970 at which each run begins; default the start of 2026. */
  readonly start?: number | undefined;
  /** How far the actors' clocks are before or behind the store's, in milliseconds at most; default 0. */
  readonly skewMs?: number | undefined;
  /** How far an actor's clock is set forward or back, once, somewhere in a run, in milliseconds at most; default 0. */
  readonly jumpMs?: number | undefined;
}

/** What a storage is opened for. */
export interface SimulatedStore {
  readonly seed: number;
  /** Differs for each run of one call of `simulate`: for names of files and prefixes of tables. */
  readonly run: number;
  /** The time of the run, for a storage that has a clock. */
  readonly clock: Clock;
}

/** How far a simulation is. */
export interface SimulationProgress {
  /** The seed that was just run. */
  readonly seed: number;
  /** Seeds that have been run. */
  readonly done: number;
  /** Seeds in all. */
  readonly total: number;
  /** Whether a violation was found, and runs are made to shrink its history. */
  readonly isShrinking: boolean;
}

/** What is run of a scenario, and how. */
export interface SimulateOptions<Name extends string = string> {
  /** How many seeds, counted from 1, or a list of them; default 100. */
  readonly seeds?: number | Iterable<number> | undefined;
  /** How many actors there are of each name, or of all names alike; default 2. */
  readonly actors?: number | Readonly<Partial<Record<Name, number>>> | undefined;
  /** Steps of each actor; default 2. */
  readonly steps?: number | undefined;
  /** What fails; nothing by default. A function makes the plan of one seed, for histories that are written by hand. */
  readonly faults?: SimulatedFaults | ((seed: number) => FaultPlan) | undefined;
  readonly clock?: SimulatedClock | undefined;
  /** Opens the store of one run, empty; it is closed after it. Memory by default. */
  readonly storage?: ((store: SimulatedStore) => TableStorage | Promise<TableStorage>) | undefined;
  /** Runs that shrink the history of a violation at most; default 1000. With 0 it stays as it was found. */
  readonly maxShrinks?: number | undefined;
  /** Called after each seed, and after each run that shrinks. */
  readonly onProgress?: ((progress: SimulationProgress) => void) | undefined;
  /** Ends the simulation after the present run. */
  readonly signal?: AbortSignal | undefined;
}

/** Options that were checked, with what absent ones mean. */
export interface SimulationSettings {
  readonly seeds: readonly number[];
  readonly actors: ReadonlyMap<string, number>;
  readonly steps: number;
  readonly faults: SimulatedFaults | ((seed: number) => FaultPlan);
  readonly clock: { readonly start: number; readonly skewMs: number; readonly jumpMs: number };
  readonly storage: SimulateOptions["storage"];
  readonly maxShrinks: number;
  readonly onProgress: ((progress: SimulationProgress) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

const code = "simulation.option";
const call = "simulate(scenario, options)";

const isShare = (value: unknown): boolean => typeof value === "number" && value >= 0 && value <= 1;
const aShare = accepted<number>("a number from 0 to 1", isShare);
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const aDuration = accepted<number>(
  "milliseconds, 0 or more",
  (ms) => typeof ms === "number" && Number.isFinite(ms) && ms >= 0,
);

const checkFaults: CheckOptions = defineOptions<SimulatedFaults>(
  "simulate faults options",
  {
    rate: aShare,
    late: aShare,
    kinds: accepted(
      `a list of: ${faultKinds.join(", ")}`,
      (list) =>
        Array.isArray(list) &&
        list.length > 0 &&
        list.every((kind) => faultKinds.includes(kind as FaultKind)),
    ),
    stops: aShare,
  },
  code,
);

const checkClock: CheckOptions = defineOptions<SimulatedClock>(
  "simulate clock options",
  {
    start: accepted("milliseconds since 1970", (ms) => typeof ms === "number" && Number.isFinite(ms)),
    skewMs: aDuration,
    jumpMs: aDuration,
  },
  code,
);

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const checkEach: CheckOptions = defineOptions<SimulateOptions>(
  call,
  {
    seeds: accepted("how many seeds there are, 1 or more, or a list of whole numbers", (seeds) =>
      typeof seeds === "number"
        ? Number.isInteger(seeds) && seeds >= 1
        : typeof (seeds as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] === "function" &&
          typeof seeds !== "string",
    ),
    actors: accepted(
      "a whole number, 1 or more, or one for each name: { clerk: 3 }",
      (actors) =>
        (isCount(actors) && actors !== 0) ||
        (isObject(actors) && Object.values(actors as object).every(isCount)),
    ),
    steps: wholeNumber(1),
    faults: {
      takes: "{ rate, late, kinds, stops }, or a function that makes the plan of a seed",
      accepts: (value) => isObject(value) || typeof value === "function",
      inside: (value) =>
        typeof value === "function" || checkFaults(value, "simulate(scenario, { faults: options })"),
    },
    clock: {
      takes: "{ start, skewMs, jumpMs }",
      accepts: isObject,
      inside: (value) => checkClock(value, "simulate(scenario, { clock: options })"),
    },
    storage: { ...aFunction, takes: "a function that opens a store: ({ clock }) => openStorage(…)" },
    maxShrinks: wholeNumber(0),
    onProgress: aFunction,
    signal: abortSignal,
  },
  code,
);

/** @throws OptionError `simulation.option` */
export function checkSimulateOptions(scenario: Scenario, options: SimulateOptions): SimulationSettings {
  if (typeof (scenario as Partial<Scenario> | undefined)?.actors !== "object")
    throw wrong("scenario", `${call} takes a scenario({ classes, actors, check }) as its first argument.`);
  checkEach(options);
  const { seeds = 100, actors = 2, steps = 2, faults = {}, clock = {} } = options;
  const list = typeof seeds === "number" ? Array.from({ length: seeds }, (_, i) => i + 1) : [...seeds];
  if (list.length === 0 || !list.every(Number.isSafeInteger))
    throw wrong("seeds", "simulate(scenario, { seeds }) takes whole numbers, one at least.");
  return {
    seeds: list,
    actors: actorsOf(scenario, actors),
    steps,
    faults,
    clock: { start: clock.start ?? Date.UTC(2026, 0), skewMs: clock.skewMs ?? 0, jumpMs: clock.jumpMs ?? 0 },
    storage: options.storage,
    maxShrinks: options.maxShrinks ?? 1000,
    onProgress: options.onProgress,
    signal: options.signal,
  };
}

function actorsOf(
  scenario: Scenario,
  counts: number | Readonly<Record<string, number | undefined>>,
): Map<string, number> {
  const names = Object.keys(scenario.actors);
  const given: Readonly<Record<string, number | undefined>> = typeof counts === "number" ? {} : counts;
  const strange = Object.keys(given).find((name) => !names.includes(name));
  if (strange !== undefined)
    throw wrong(
      "actors",
      `${call} does not know an actor "${strange}". The scenario has: ${names.join(", ")}.`,
    );
  const initial = typeof counts === "number" ? counts : 2;
  return new Map(names.map((name) => [name, given[name] ?? initial]));
}

const wrong = (option: string, message: string): OptionError =>
  new OptionError(code, message, { call, option });
