import type { QueryEvent } from "../../storage/tracing/trace-events.ts";

/** An event as its query counts in it. */
export type QueryCounts = { -readonly [Name in keyof QueryEvent]: QueryEvent[Name] };

/** Publishes what queries do. The context gives it to its queries, so queries themselves run without Node. */
export interface QueryTracer {
  /** An event is created only if it has subscribers. Some runtimes don't say whether it has. */
  readonly channel: { readonly hasSubscribers: boolean | undefined };
  /** Publishes the reading of one page. */
  traceQuery<Result>(
    event: QueryCounts,
    read: () => Promise<Result>,
    sizeOf: (result: Result) => number,
  ): Promise<Result>;
  /**
   * Publishes reading that proceeds step by step.
   *
   * @param reading - must not have started yet
   */
  traceReading<Read>(
    event: QueryCounts,
    reading: AsyncGenerator<Read>,
    sizeOf: (read: Read) => number,
  ): AsyncGenerator<Read>;
}
