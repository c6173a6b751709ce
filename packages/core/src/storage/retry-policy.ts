import { StateError } from "../errors/state-error.ts";
import { StorageError } from "../errors/storage-error.ts";

/** How often a request is tried, and how long to wait in between. */
export interface RetryPolicy {
  /** Tries in all, the first included: 1 or more. */
  readonly attempts: number;
  /** Milliseconds between two tries, unless the service asks for more. */
  readonly delayMs: number;
}

/** Every request is tried once. */
export const noRetry: RetryPolicy = Object.freeze({ attempts: 1, delayMs: 0 });

/**
 * Tries a request several times, always after the same delay.
 *
 * @param attempts - tries in all, the first included: a whole number, 1 or more
 * @param delayMs - milliseconds between two tries, 0 or more
 * @throws StateError `context.retry`
 */
export function fixed(attempts: number, delayMs: number): RetryPolicy {
  return checkRetryPolicy({ attempts, delayMs });
}

/** What a context does that names no policy. */
export const defaultRetry: RetryPolicy = Object.freeze({ attempts: 4, delayMs: 100 });

/** Waits at most this long because the service asked for it. */
const longestWaitMs = 30_000;

/** @throws StateError `context.retry` */
export function checkRetryPolicy(policy: RetryPolicy): RetryPolicy {
  const { attempts, delayMs } = policy;
  if (Number.isInteger(attempts) && attempts >= 1 && delayMs >= 0 && delayMs <= longestWaitMs)
    return Object.freeze({ attempts, delayMs });
  throw new StateError(
    "context.retry",
    `A retry policy takes a whole number of attempts, 1 or more, and a delay of 0 to ${longestWaitMs} ms. Use noRetry or fixed(attempts, delayMs).`,
  );
}

const transientStatuses: ReadonlySet<number | undefined> = new Set([408, 429, 502, 503, 504]);

const transientCodes: ReadonlySet<string> = new Set([
  "storage.unreachable",
  "storage.connection-lost",
  "storage.timeout",
  "storage.truncated",
]);

/** Whether the same request may well succeed when it is sent again. Refusals never do, nor what the caller cancelled. */
export function isTransient(error: unknown): error is StorageError {
  if (!(error instanceof StorageError) || error.code === "storage.cancelled") return false;
  if (error.applied === "maybe" || transientCodes.has(error.code)) return true;
  const isFault =
    error.status === 500 && (error.serviceCode !== undefined || error.code === "storage.status500");
  return isFault || transientStatuses.has(error.status);
}

/** Waits before the next try; ends early when the signal is aborted. */
export async function waitToRetry(
  { delayMs }: RetryPolicy,
  error: StorageError,
  signal: AbortSignal | undefined,
): Promise<void> {
  const waitMs = Math.min(longestWaitMs, Math.max(delayMs, error.retryAfterMs ?? 0));
  if (waitMs === 0 || signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, waitMs);
    signal?.addEventListener("abort", done, { once: true });
  });
}
