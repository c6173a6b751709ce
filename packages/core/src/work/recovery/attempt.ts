import { markerLifeMs } from "../../model/codec/commit-rows.ts";
import { type Clock, monotonicTime } from "../../storage/clock.ts";
import type { AnnouncedMessage } from "../unit-of-work/outbox-message.ts";
import type { RemoveMissing } from "../unit-of-work/save-result.ts";
import type { Claim } from "../claims/claim.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";

/** The changes of one transaction, or a single one. */
export interface Write {
  readonly table: string;
  readonly changes: readonly ChangeSet[];
  /** The RowKey of its marker in tables with `proof: "marker"`, or of its first message, if it has any. */
  readonly marker?: string | undefined;
  /** The rows of its messages. */
  readonly outbox?: readonly AnnouncedMessage[] | undefined;
  /** The claim to its values that are unique over the table, if it stores any. */
  readonly claim?: Claim | undefined;
  /** Whether its changes must be stored together or not at all, because of `batch: "atomic"`. */
  readonly isAtomic?: boolean | undefined;
}

/** The time and options of sending a write. */
export interface Sending {
  /** Monotonic time before the first request was sent. */
  readonly sentAt: number;
  /** The same moment as a date, since dates go on while the machine sleeps. */
  readonly sentOn: number;
  /** The clock for these times. */
  readonly clock: Clock;
  /** Storage's time before the request was sent, if known: the write did not produce an older row. */
  readonly sentAfter: number | undefined;
  /** The save's option for deletes of rows that no longer exist. */
  readonly removeMissing?: RemoveMissing | undefined;
}

/**
 * A write with a lost response: it may have been applied, or may still be applied. One save may have sent it several
 * times.
 */
export interface Attempt extends Write, Sending {
  /** The order of attempts: newer ones have greater numbers. */
  readonly serial: number;
  /** Monotonic time from which no request of it can be applied. */
  readonly lateUntil: number;
  /** The failure that left its outcome unknown. */
  readonly error: Error;
}

/** The service ends a request after 30 seconds; the rest is a margin. Source: "Query timeout and pagination". */
const latestMs = 60_000;

let serials = 0;

/** Creates the attempt of a write after its last request ended in this error. */
export const attemptOf = (write: Write, sending: Sending, error: Error): Attempt => ({
  ...write,
  ...sending,
  serial: ++serials,
  lateUntil: monotonicTime(sending.clock) + latestMs,
  error,
});

/** Whether no request of an attempt can still be applied. */
export const isOver = ({ clock, lateUntil }: Attempt): boolean => monotonicTime(clock) > lateUntil;

/** Whether the marker of an attempt may have been swept by now, by any clock. Then its absence proves nothing. */
export const mayBeSwept = ({ clock, sentAt, sentOn }: Sending): boolean =>
  Math.max(monotonicTime(clock) - sentAt, clock.now() - sentOn) > markerLifeMs - latestMs;
