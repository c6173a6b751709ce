import { StorageError } from "@partita/core";
import type { StorageFailure } from "@partita/core/storage";

/** Codes of the queue service that stores of this library also raise. */
export type QueueServiceCode = "QueueNotFound" | "MessageNotFound" | "PopReceiptMismatch";

/** Status and message by code. Source: learn.microsoft.com "Queue Storage error codes". */
const serviceCodes: Readonly<Record<QueueServiceCode, readonly [status: number, text: string]>> = {
  QueueNotFound: [404, "The queue does not exist. Create it with createQueue(name)."],
  MessageNotFound: [404, "The message does not exist: another program removed it, or it expired."],
  PopReceiptMismatch: [400, "The message has a newer receipt, because it was received or updated again."],
};

/** The error of a refused operation, as the service would report it. */
export function queueError(serviceCode: QueueServiceCode, queue: string): StorageError {
  const [status, text] = serviceCodes[serviceCode];
  return StorageError.ofResponse(serviceCode, `${text} (queue "${queue}")`, {
    applied: "no",
    status,
    serviceCode,
  });
}

/** Minimum duration of a queue's deletion. Source: learn.microsoft.com "Delete Queue". */
const deletionMs = 40_000;

/** Adds the queue to a service error, and a remedy if the service's message has none. */
export function aboutQueue(error: StorageError, queue: string): StorageError {
  const { code, serviceCode = "", message, details } = error;
  const failure = details as unknown as StorageFailure;
  if (Object.hasOwn(serviceCodes, serviceCode)) {
    const [, text] = serviceCodes[serviceCode as QueueServiceCode];
    return new StorageError(code, `${text} (queue "${queue}")`, failure, { cause: error.cause });
  }
  if (serviceCode !== "QueueBeingDeleted") return error;
  return new StorageError(
    code,
    `${message} That takes ${deletionMs / 1000} seconds or more. Retry later, or use another name. (queue "${queue}")`,
    { ...failure, retryAfterMs: failure.retryAfterMs ?? deletionMs },
  );
}

const lostCodes: ReadonlySet<string> = new Set(["storage.message-not-found", "storage.pop-receipt-mismatch"]);

/**
 * Whether an error means that a message is no longer leased: it was removed, or another worker received it.
 */
export const isMessageLost = (error: unknown): boolean => StorageError.is(error) && lostCodes.has(error.code);
