import { StorageError } from "@partita/core";
import type { StorageFailure } from "@partita/core/storage";

/** Codes of the queue service that stores of this library raise themselves. */
export type QueueServiceCode = "QueueNotFound" | "MessageNotFound" | "PopReceiptMismatch";

/** Status and wording by code. Source: learn.microsoft.com "Queue Storage error codes". */
const serviceCodes: Readonly<Record<QueueServiceCode, readonly [status: number, text: string]>> = {
  QueueNotFound: [404, "The queue does not exist. Create it with createQueue(name)."],
  MessageNotFound: [404, "The message does not exist: somebody removed it, or it expired."],
  PopReceiptMismatch: [
    400,
    "The message has a newer receipt: it was received again, or updated, since this one was given.",
  ],
};

/** A refusal of a queue store, as the service would send it. */
export function queueError(serviceCode: QueueServiceCode, queue: string): StorageError {
  const [status, text] = serviceCodes[serviceCode];
  return StorageError.ofResponse(serviceCode, `${text} (queue "${queue}")`, {
    applied: "no",
    status,
    serviceCode,
  });
}

/** How long a queue is being deleted at least. Source: learn.microsoft.com "Delete Queue". */
const deletionMs = 40_000;

/** The error of a service's answer, naming the queue, and saying what to do where the service's words do not. */
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
    `${message} That takes ${deletionMs / 1000} seconds or more: try again later, or take another name. (queue "${queue}")`,
    { ...failure, retryAfterMs: failure.retryAfterMs ?? deletionMs },
  );
}

const lostCodes: ReadonlySet<string> = new Set(["storage.message-not-found", "storage.pop-receipt-mismatch"]);

/** Whether an error says that a message is no longer held: it is removed, or somebody else received it. */
export const isMessageLost = (error: unknown): boolean => StorageError.is(error) && lostCodes.has(error.code);
