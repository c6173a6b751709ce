import type { ChangeSet } from "./change-set.ts";

/**
 * A request that was sent and may have been stored, or may yet be: the changes of one transaction, or a single one.
 * Kept until a later answer or read settles it.
 */
export interface UncertainWrite {
  readonly table: string;
  readonly changes: readonly ChangeSet[];
  /** Milliseconds since 1970: until then the service may still carry out a request that nobody waits for. */
  readonly lateUntil: number;
  /** The failure that left it open. */
  readonly error: Error;
}

/** The service ends a request after 30 seconds; the rest is a margin. Source: "Query timeout and pagination". */
const latestMs = 60_000;

/** When a request that was sent now can no longer take effect. */
export const lateAfter = (now: number): number => now + latestMs;
