/** The figures of one step. Rates are in entities per second. */
export interface StressStep {
  /** The planned rate. */
  readonly rate: number;
  /** How long work was offered, in seconds. */
  readonly seconds: number;
  /** The offered rate: entities that were returned and written, or would have been. */
  readonly offered: number;
  /** The rate of entities that were returned or written before the step was over. */
  readonly served: number;
  /** The median time from when work was due until it was done, in milliseconds; absent if no work succeeded. */
  readonly p50Ms?: number;
  /** The 99th percentile of the same time, in milliseconds. */
  readonly p99Ms?: number;
  /** Work that was due: each is one call of a `run`. */
  readonly due: number;
  /** Due work that was not started because the concurrency limit was reached. */
  readonly notSent: number;
  /** Requests with a 503 or 429 response: the store was too busy. */
  readonly busy: number;
  /** Requests with a 500 response. */
  readonly failed: number;
  /** Requests, and calls of a `run`, that failed in any other way. */
  readonly otherErrors: number;
  /** The codes of those other errors. */
  readonly otherCodes: readonly string[];
  /** Entities of other partitions, which do not count. */
  readonly elsewhere: number;
  /** The 99th percentile of the time by which this machine started work late, in milliseconds; part of each latency. */
  readonly lateMs: number;
  /** Whether at least 95 % of the offered rate was served, and at least 90 % of the planned rate was offered. */
  readonly isSustained: boolean;
}

/** The progress of a stress test. */
export interface StressProgress {
  /** Completed steps. */
  readonly done: number;
  /** The maximum number of steps. If nothing fails, no refining steps are needed. */
  readonly total: number;
  /** The step that was just completed; absent before the first. */
  readonly step?: StressStep;
  /** The rate of the next one; absent after the last. */
  readonly next?: number;
}

/** The figures of a stress test, as printed in JSON. */
export interface StressFigures {
  /** The description of the measured storage. */
  readonly storage: string;
  /** The name of the entity class. */
  readonly entity: string;
  /** The table's name in the class, without the test's prefix. */
  readonly table: string;
  /** The stored PartitionKey. */
  readonly partitionKey: string;
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  /** The steps in the order they were run. */
  readonly steps: readonly StressStep[];
  /** The largest sustained rate, in entities per second; 0 if none was. */
  readonly sustained: number;
  /** The served rate in that step, which may be 5 % less. */
  readonly servedThere: number;
  /** The largest served rate of any step, sustained or not. */
  readonly mostServed: number;
  /** The target rate, if there is one. */
  readonly target?: number;
  /** Whether the target was sustained; absent without one. */
  readonly isMet?: boolean;
}

/** The figures of a stress test, with plots. */
export interface StressReport extends StressFigures {
  /** Steps, a plot and the verdict as text, for a terminal. */
  plot(): string;
  /** The plot as an SVG file. */
  svg(): string;
  /** The figures as JSON. */
  json(): string;
}
