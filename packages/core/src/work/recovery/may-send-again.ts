import type { StorageError } from "../../values/errors/storage-error.ts";
import { appliesOnce } from "../../storage/write-operation.ts";
import { mayBeSwept, type Sending, type Write } from "./attempt.ts";
import { isMarkerThere } from "./marker.ts";

/*
 * Whether a write may be sent again. `save/send-batches.ts` calls this after each failed request;
 * `storage/with-retry.ts` then decides whether policy and budget allow another attempt, and how long to wait. A later
 * save, which knows the row, calls `maySend` in `lost-response-rules.ts` instead.
 */

/**
 * Whether a write may be sent again after a failure.
 *
 * @param isInDoubt - whether an earlier request of it may have been applied, or may still be applied
 */
export function maySendAgain(
  write: Write,
  sending: Sending,
  failure: StorageError,
  isInDoubt: boolean,
): boolean {
  if (write.marker !== undefined && isMarkerThere(failure)) return false;
  if (!isInDoubt) return true;
  // A marker that may have been swept does not prevent a write from being applied twice.
  return write.marker === undefined ? appliesAtMostOnce(write) : !mayBeSwept(sending);
}

/**
 * An insert or an ETag allows a write to be applied only once. Others would overwrite rows stored in between, unless
 * the program declared that no other writer uses the key.
 */
const appliesAtMostOnce = ({ changes }: Write): boolean =>
  changes.some(({ operation }) => appliesOnce(operation)) ||
  changes.every(({ isIdempotent }) => isIdempotent === true);
