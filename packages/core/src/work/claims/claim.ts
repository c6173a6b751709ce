import { type Clock, monotonicTime } from "../../storage/clock.ts";
import { StorageError } from "../../values/errors/storage-error.ts";

/** The right of one transaction to store values that are unique over its table. */
export interface Claim {
  /** The RowKey of the transaction's marker. */
  readonly id: string;
  /** The partition of the transaction. */
  readonly home: string;
  readonly clock: Clock;
  /** Monotonic time before its first request. */
  readonly startedAt: number;
  /** The same moment as a date, since dates go on while the machine sleeps. */
  readonly startedOn: number;
}

export const newClaim = (id: string, home: string, clock: Clock): Claim => ({
  id,
  home,
  clock,
  startedAt: monotonicTime(clock),
  startedOn: clock.now(),
});

/** Much shorter than the life of a marker, so a fence outlives every request of the claim that it ends. */
const longestMs = 600_000;

/** Whether no more request of a claim may be sent, by any clock. */
export const isTooOld = ({ clock, startedAt, startedOn }: Claim): boolean =>
  Math.max(monotonicTime(clock) - startedAt, clock.now() - startedOn) > longestMs;

/** A request was not sent because its claim is too old. A new claim follows. */
export const tooOld = (): StorageError =>
  new StorageError(
    "storage.claim-expired",
    "Not sent: the program paused for more than ten minutes after it had reserved a unique value. Save again.",
    { applied: "no" },
  );

export const isTooOldError = (error: unknown): boolean =>
  StorageError.is(error) && error.code === "storage.claim-expired";
