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

/** The faults of a simulation, which each seed draws. */
export interface SimulatedFaults {
  /** The share of requests that fail: 0 (default) to 1. */
  readonly rate?: number | undefined;
  /** The share of failing writes that arrive late, after their actor got an error: 0 to 1; default 0.5. */
  readonly late?: number | undefined;
  /** The kinds of faults; all when absent. */
  readonly kinds?: readonly FaultKind[] | undefined;
  /** The share of actors that stop for good at some point, like a killed process: 0 (default) to 1. */
  readonly stops?: number | undefined;
}

/** The clocks of a simulation. */
export interface SimulatedClock {
  /** The start of each run, in milliseconds since 1970; default the start of 2026. */
  readonly start?: number | undefined;
  /** The largest offset of the actors' clocks from the store's, in milliseconds; default 0. */
  readonly skewMs?: number | undefined;
  /** The largest change of an actor's clock, once per run, in milliseconds; default 0. */
  readonly jumpMs?: number | undefined;
}

/** Parameters for opening a store. */
export interface SimulatedStore {
  readonly seed: number;
  /** Different for each run of one `simulate` call: use it in file names and table prefixes. */
  readonly run: number;
  /** The clock of the run, for a storage that uses a clock. */
  readonly clock: Clock;
}

/** The progress of a simulation. */
export interface SimulationProgress {
  /** The last seed that was run. */
  readonly seed: number;
  /** The number of seeds that have been run. */
  readonly done: number;
  /** The total number of seeds. */
  readonly total: number;
  /** Whether a violation was found and its history is being shrunk. */
  readonly isShrinking: boolean;
}

/** Options of a simulation. */
export interface SimulateOptions<Name extends string = string> {
  /** The number of seeds, starting from 1, or a list of seeds; default 100. */
  readonly seeds?: number | Iterable<number> | undefined;
  /** The number of actors for each name, or one number for all names: 1 or more; default 2. */
  readonly actors?: number | Readonly<Partial<Record<Name, number>>> | undefined;
  /** The number of steps of each actor, 1 or more; default 2. */
  readonly steps?: number | undefined;
  /** The faults; none by default. A function returns the plan of one seed, for histories that you write by hand. */
  readonly faults?: SimulatedFaults | ((seed: number) => FaultPlan) | undefined;
  readonly clock?: SimulatedClock | undefined;
  /** Opens an empty store for one run, which is closed after it. Memory by default. */
  readonly storage?: ((store: SimulatedStore) => TableStorage | Promise<TableStorage>) | undefined;
  /** Maximum number of runs to shrink the history of a violation; default 1000. With 0, it is not shrunk. */
  readonly maxShrinks?: number | undefined;
  /** Called after each seed, and after each run that shrinks. */
  readonly onProgress?: ((progress: SimulationProgress) => void) | undefined;
  /** Stops the simulation after the present run. */
  readonly signal?: AbortSignal | undefined;
}

/** Checked options, with defaults. */
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
    seeds: accepted("the number of seeds, 1 or more, or a list of whole numbers", (seeds) =>
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
      takes: "{ rate, late, kinds, stops }, or a function that returns the plan of a seed",
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
    throw wrong("seeds", "simulate(scenario, { seeds }) takes at least one whole number.");
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
