import type { WatchedPartitions } from "./watched-partitions.ts";

/** Activities to instrument: the tracing channels of Partita, by their names after `partita:`. */
export type InstrumentedActivity = "query" | "request" | "save" | "queue" | "task" | "step";

export interface PartitaInstrumentationConfig {
  /** Whether to start immediately. Default true. */
  enabled?: boolean;
  /** Activities to instrument. By default all. */
  only?: readonly InstrumentedActivity[];
  /**
   * Whether requests to tables and queues get spans only inside another span. Default false. Workers poll
   * empty queues, and each poll is a trace of its own otherwise. Metrics still count all requests.
   */
  requireParentSpan?: boolean;
  /**
   * Storages from `watchPartitions` of `@partita/patterns`. Their hottest partitions become a metric. By
   * default none. PartitionKeys contain users' values, so each is reported as a hash. A backend stores a
   * series for every partition it ever receives.
   */
  partitionsOf?: readonly WatchedPartitions[];
  /** Number of the hottest partitions of each such storage to measure: 1 to 100. Default 10. */
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
