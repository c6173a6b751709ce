import type { WatchedPartitions } from "./watched-partitions.ts";

/** What is instrumented: the tracing channels of Partita, by their names after `partita:`. */
export type InstrumentedActivity = "query" | "request" | "save" | "queue" | "task" | "step";

export interface PartitaInstrumentationConfig {
  /** Whether it begins when it is made; default true. */
  enabled?: boolean;
  /** What is instrumented; all by default. */
  only?: readonly InstrumentedActivity[];
  /**
   * Whether requests to tables and queues get spans only inside of another span; default false. Workers ask empty queues
   * again and again, and each time is a trace of its own otherwise. Metrics count them all the same.
   */
  requireParentSpan?: boolean;
  /**
   * Storages made by `watchPartitions` of `@partita/patterns`, whose hottest partitions become a metric; none by default. PartitionKeys are values
   * of users, so that each is shown by its hash, and a backend stores a series for each one it has ever seen.
   */
  partitionsOf?: readonly WatchedPartitions[];
  /** How many of the hottest partitions of each such storage are measured: 1 to 100, default 10. */
  hottest?: number;
}

/** @throws RangeError, TypeError */
export function checkConfig({ only, partitionsOf, hottest }: PartitaInstrumentationConfig): void {
  const unknown = only?.find((name) => !Object.hasOwn(activities, name));
  if (unknown !== undefined)
    throw new TypeError(
      `PartitaInstrumentation({ only }) takes ${Object.keys(activities).join(", ")}, but got "${String(unknown)}".`,
    );
  if (hottest !== undefined && !(Number.isInteger(hottest) && hottest >= 1 && hottest <= 100))
    throw new RangeError("PartitaInstrumentation({ hottest }) takes a whole number from 1 to 100.");
  if (partitionsOf?.some((storage) => typeof storage.load !== "function") === true)
    throw new TypeError("PartitaInstrumentation({ partitionsOf }) takes storages made by watchPartitions().");
}

const activities: Readonly<Record<InstrumentedActivity, true>> = {
  query: true,
  request: true,
  save: true,
  queue: true,
  task: true,
  step: true,
};

export const allActivities: readonly InstrumentedActivity[] = Object.keys(
  activities,
) as InstrumentedActivity[];
