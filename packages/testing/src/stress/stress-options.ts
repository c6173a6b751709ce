import type { EntityClass, KeyOf, TableContext } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import {
  abortSignal,
  accepted,
  aClock,
  aFunction,
  type Check,
  type CheckOptions,
  defineOptions,
  wholeNumber,
} from "@partita/core/internal";
import { systemClock } from "@partita/core/rest";
import { refused } from "./stress-error.ts";
import type { StressProgress } from "./stress-report.ts";

/** One kind of work in a mix: a query, or a write. */
export interface StressLoad {
  /** Its share of the work, relative to the others: 0.8 and 0.2, or 4 and 1. */
  readonly share: number;
  /**
   * Does the work once, in a new context that sends each request once. Pending changes are saved afterwards.
   *
   * @param n - starts from 1 and never repeats; use it to make unique keys
   */
  readonly run: (context: TableContext, n: number) => unknown;
}

/** Rates in entities per second, in steps that grow by the same factor. */
export interface StressRate {
  /** The rate of the first step. */
  readonly from: number;
  /** The rate of the last step. */
  readonly to: number;
  /** The number of steps, 2 to 100; default 8. */
  readonly steps?: number | undefined;
}

/** Checked rates, with the number of steps. */
export interface StressRates {
  readonly from: number;
  readonly to: number;
  readonly steps: number;
}

/** The load on one partition, and its duration. */
export interface StressOptions<Class extends EntityClass = EntityClass> {
  /** The parts of the PartitionKey. Entities of other partitions do not count. */
  readonly partition: Partial<KeyOf<Class>>;
  /** The work: a mix of queries and writes. */
  readonly load: readonly StressLoad[];
  /** Stores initial data for the load; pending changes are saved. */
  readonly setup?: ((context: TableContext) => unknown) | undefined;
  /** Entities per second; default from 100 to 4000. */
  readonly rate?: StressRate | undefined;
  /** Maximum duration of all steps together, in seconds; default 60. */
  readonly seconds?: number | undefined;
  /** Maximum number of concurrent requests; work beyond it counts as not served. 1 to 10,000; default 64. */
  readonly concurrency?: number | undefined;
  /** The rate that the partition should sustain, in entities per second; one step has exactly this rate. */
  readonly target?: number | undefined;
  /** The clock for planning arrivals and measuring latency; the system's when absent. */
  readonly clock?: Clock | undefined;
  /** Called before the first step, and after each. */
  readonly onProgress?: ((progress: StressProgress) => void) | undefined;
  /** Stops the test: its tables are deleted, and its promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Checked options, with defaults. */
export interface StressSettings {
  readonly partition: Readonly<Record<string, unknown>>;
  readonly load: readonly StressLoad[];
  readonly setup: StressOptions["setup"];
  readonly rate: StressRates;
  readonly seconds: number;
  readonly concurrency: number;
  readonly target: number | undefined;
  readonly clock: Clock;
  readonly onProgress: (progress: StressProgress) => void;
  readonly signal: AbortSignal | undefined;
}

const call = "stressPartition(storage, Class, options)";
const code = "stress.option";

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isAboveZero = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value > 0;
const needed = <Value>(check: Check<Value>): Check<Value> => ({ ...check, isRequired: true });
const anAmount = (of: string): Check<number> => accepted<number>(`${of}, a number above 0`, isAboveZero);
const anyFunction = (takes: string): Check<never> => ({ ...aFunction, takes });

const checkLoad: CheckOptions = defineOptions<StressLoad>(
  "stress load options",
  { share: needed(anAmount("a share")), run: needed(anyFunction("a function: (context, n) => work")) },
  code,
);

const checkRate: CheckOptions = defineOptions<StressRate>(
  "stress rate options",
  {
    from: needed(anAmount("entities per second")),
    to: needed(anAmount("entities per second")),
    steps: wholeNumber(2, 100),
  },
  code,
);

const checkEach: CheckOptions = defineOptions<StressOptions>(
  call,
  {
    partition: needed({ takes: 'the parts of the PartitionKey: { channel: "Football" }', accepts: isObject }),
    load: needed({
      takes: "a list of work: [{ share: 0.8, run: (context, n) => work }]",
      accepts: (list) => Array.isArray(list) && list.length > 0,
      inside: (list) => {
        for (const [i, each] of (list as unknown[]).entries())
          checkLoad(each, `stressPartition(storage, Class, { load: [${i}] }) options`);
      },
    }),
    setup: anyFunction("a function: (context) => work"),
    rate: {
      takes: "{ from, to }",
      accepts: isObject,
      inside: (rate) => checkRate(rate, "stressPartition(storage, Class, { rate: options })"),
    },
    seconds: anAmount("seconds"),
    concurrency: wholeNumber(1, 10_000),
    target: anAmount("entities per second"),
    clock: aClock,
    onProgress: aFunction,
    signal: abortSignal,
  },
  code,
);

/** @throws OptionError `stress.option` */
export function checkStressOptions(options: StressOptions): StressSettings {
  checkEach(options);
  const { from, to, steps = 8 } = options.rate ?? { from: 100, to: 4000 };
  const { partition, load, setup, target, signal } = options;
  if (from >= to) throw refused(call, "rate", "a rate whose to is above its from");
  if (target !== undefined && (target < from || target > to))
    throw refused(
      call,
      "target",
      `a target between the rates: ${from} to ${to}. Set rate.from and rate.to around it`,
    );
  return {
    partition: partition as Readonly<Record<string, unknown>>,
    load,
    setup,
    rate: { from, to, steps },
    seconds: options.seconds ?? 60,
    concurrency: options.concurrency ?? 64,
    target,
    clock: options.clock ?? systemClock,
    onProgress: options.onProgress ?? (() => undefined),
    signal,
  };
}
