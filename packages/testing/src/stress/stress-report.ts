/** What one step of a stress test came to. Rates are entities a second. */
export interface StressStep {
  /** The rate that was planned. */
  readonly rate: number;
  /** How long work was offered. */
  readonly seconds: number;
  /** The rate that came: what was returned and written, and what it would have been where it was not. */
  readonly offered: number;
  /** The rate of entities that were returned or written before the step was over. */
  readonly served: number;
  /** Milliseconds from when work was due until it was done, at most for half of the work that succeeded; absent where none did. */
  readonly p50Ms?: number;
  /** The same for 99 % of it. */
  readonly p99Ms?: number;
  /** Work that was due: each one call of a `run`. */
  readonly due: number;
  /** Work among it that was not begun, since all places were taken. */
  readonly notSent: number;
  /** Requests answered with 503 or 429: the store had too much to do. */
  readonly busy: number;
  /** Requests answered with 500. */
  readonly failed: number;
  /** Requests, and calls of a `run`, that failed in any other way. */
  readonly otherErrors: number;
  /** The codes of those other errors. */
  readonly otherCodes: readonly string[];
  /** Entities of other partitions, which do not count. */
  readonly elsewhere: number;
  /** Milliseconds by which this machine began work late, at most for 99 % of it: part of each latency. */
  readonly lateMs: number;
  /** Whether 95 % of what was offered was served, and what was offered was 90 % of the rate at least. */
  readonly isSustained: boolean;
}

/** How far a stress test is. */
export interface StressProgress {
  /** Steps that are over. */
  readonly done: number;
  /** Steps in all, at most: where nothing fails, there is nothing to look closer at. */
  readonly total: number;
  /** The step that is over now; absent before the first. */
  readonly step?: StressStep;
  /** The rate of the next one; absent after the last. */
  readonly next?: number;
}

/** What a stress test came to, as it is printed in JSON. */
export interface StressFigures {
  /** What was measured: the description of the storage. */
  readonly storage: string;
  /** The name of the entity class. */
  readonly entity: string;
  /** The table that the class names; the test's own had a prefix. */
  readonly table: string;
  /** The partition's key, as it is stored. */
  readonly partitionKey: string;
  /** Requests on the way at once, at most. */
  readonly concurrency: number;
  /** In the order they were run. */
  readonly steps: readonly StressStep[];
  /** The largest rate that was sustained, in entities a second; 0 when none was. */
  readonly sustained: number;
  /** What was served in the step of that rate, which may be 5 % less. */
  readonly servedThere: number;
  /** The most that was served in any step, sustained or not. */
  readonly mostServed: number;
  /** The rate that was to be sustained, where there is one. */
  readonly target?: number;
  /** Whether the target was sustained; absent without one. */
  readonly isMet?: boolean;
}

/** What a stress test came to, and pictures of it. */
export interface StressReport extends StressFigures {
  /** Steps, a plot and the verdict as text, for a terminal. */
  plot(): string;
  /** The plot as an SVG file. */
  svg(): string;
  /** The figures as JSON. */
  json(): string;
}
