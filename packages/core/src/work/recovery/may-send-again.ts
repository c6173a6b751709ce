import type { StorageError } from "../../values/errors/storage-error.ts";
import { appliesOnce } from "../../storage/write-operation.ts";
import { mayBeSwept, type Sending, type Write } from "./attempt.ts";
import { isMarkerThere } from "./marker.ts";

/*
 * Whether a write may be sent again. `save/send-batches.ts` asks after each failed request; `storage/with-retry.ts`
 * then decides whether its policy and budget allow another attempt, and how long to wait. A later save, which knows
 * the row, asks `maySend` in `lost-response-rules.ts` instead.
 */

/**
 * Whether a write may be sent again after a failure.
 *
 * @param isInDoubt - whether an earlier request of it may have been applied, or may yet be
 */
export function maySendAgain(
  write: Write,
  sending: Sending,
  failure: StorageError,
  isInDoubt: boolean,
): boolean {
  if (write.marker !== undefined && isMarkerThere(failure)) return false;
  if (!isInDoubt) return true;
  // A marker that may have been swept by now does not keep a write from being applied twice.
  return write.marker === undefined ? appliesAtMostOnce(write) : !mayBeSwept(sending);
}

/**
 * An insert or an ETag lets a write be applied once only; others would overwrite rows that were stored in between,
 * unless the program said that it alone writes them.
 */
const appliesAtMostOnce = ({ changes }: Write): boolean =>
  changes.some(({ operation }) => appliesOnce(operation)) ||
  changes.every(({ isIdempotent }) => isIdempotent === true);
