import { StorageError } from "../values/errors/storage-error.ts";
import { accepted, oneOf, required, wholeNumber } from "../values/options/checks.ts";
import {
  type Check,
  type CheckOptions,
  defineOptions,
  refusedOption,
} from "../values/options/define-options.ts";

/** How often a request is attempted, and how long to wait between attempts. Times are in milliseconds. */
export interface RetryPolicy {
  /** How the wait grows with each failure; `fixed` when absent. */
  readonly kind?: "fixed" | "exponential" | "adaptive" | undefined;
  /** Maximum number of attempts, including the first: 1 or more. */
  readonly attempts: number;
  /**
   * The wait, or the value that it grows from. If the service asks for a longer wait, Partita waits for that long, up
   * to 30 seconds.
   */
  readonly delayMs: number;
  /** Exponential: the shortest wait, before growth. */
  readonly minMs?: number | undefined;
  /** Exponential and adaptive: the longest wait. */
  readonly maxMs?: number | undefined;
  /** Adaptive: the wait grows from this value if the service is busy. */
  readonly throttleMs?: number | undefined;
  /** No attempt starts later than this after the first; no limit when absent. */
  readonly totalMs?: number | undefined;
}

/** Attempts every request once. */
export const noRetry: RetryPolicy = Object.freeze({ attempts: 1, delayMs: 0 });

/**
 * Attempts a request several times, with the same delay after each failure.
 *
 * @param attempts - maximum number of attempts, including the first: a whole number, 1 or more
 * @param delayMs - milliseconds between two attempts: 0 to 30,000
 * @throws OptionError `context.option`
 */
export function fixed(attempts: number, delayMs: number): RetryPolicy {
  return checkRetryPolicy({ attempts, delayMs });
}

/**
 * Waits `min(minMs + random(0.8 to 1.2) × delayMs × (2^failures − 1), maxMs)`. This formula is from the service's own
 * guidance for background work. Defaults: 3 attempts, 30 s, at least 3 s, at most 90 s, and no limit for the total
 * time.
 *
 * @throws OptionError `context.option`
 */
export function exponential(
  policy: Partial<Pick<RetryPolicy, "attempts" | "delayMs" | "minMs" | "maxMs" | "totalMs">> = {},
): RetryPolicy {
  const initial = {
    attempts: 3,
    delayMs: 30_000,
    minMs: 3_000,
    maxMs: 90_000,
  };
  return checkRetryPolicy({ kind: "exponential", ...initial, ...policy });
}

/**
 * The default policy: short waits, and longer ones if the service is busy. Each wait is random between 0 and its full
 * length, so clients don't retry at the same time. A budget of 100 tokens, which all contexts of a storage share,
 * limits retries: a transient failure costs 10 tokens, a failure of a busy service 5, and a success returns 1. Without
 * tokens nothing is retried, to let the service recover. Defaults: 4 attempts, from 50 ms to 5 s, 1 s when busy, 60 s
 * in total.
 *
 * @throws OptionError `context.option`
 */
export function adaptive(policy: Partial<Omit<RetryPolicy, "kind" | "minMs">> = {}): RetryPolicy {
  const initial = { attempts: 4, delayMs: 50, maxMs: 5_000, throttleMs: 1_000, totalMs: 60_000 };
  return checkRetryPolicy({ kind: "adaptive", ...initial, ...policy });
}

/** @throws OptionError `context.option` */
function checkRetryPolicy(policy: RetryPolicy): RetryPolicy {
  checkPolicy(policy);
  if (policy.kind === undefined || policy.kind === "fixed")
    if (policy.delayMs > longestHintMs)
      throw refusedOption(
        "context.option",
        retryCall,
        "delayMs",
        `0 to ${longestHintMs} ms with a fixed delay`,
      );
  return Object.freeze({ ...policy });
}

/** A retry policy as an option. */
export const aRetryPolicy: Check<RetryPolicy> = {
  takes: "noRetry, fixed(attempts, delayMs), exponential() or adaptive()",
  accepts: (value) => typeof value === "object" && value !== null,
  inside: (value) => void checkRetryPolicy(value as RetryPolicy),
};

/** The longest wait that Partita accepts from a service. */
const longestHintMs = 30_000;

/** The longest wait of any policy: an hour. */
const longestMs = 3_600_000;

const retryCall = "A retry policy";

const aWait: Check<number> = {
  takes: `0 to ${longestMs} ms`,
  accepts: (ms) => typeof ms === "number" && ms >= 0 && ms <= longestMs,
};

const checkPolicy: CheckOptions = defineOptions<RetryPolicy>(
  retryCall,
  {
    kind: oneOf("fixed", "exponential", "adaptive"),
    attempts: required(wholeNumber(1)),
    delayMs: required(aWait),
    minMs: aWait,
    maxMs: aWait,
    throttleMs: aWait,
    totalMs: accepted("milliseconds, 0 or more", (ms) => typeof ms === "number" && ms >= 0),
  },
  "context.option",
);

/**
 * Returns how long to wait after a failure.
 *
 * @param failures - the number of failures so far, including this one
 */
export function waitOf(policy: RetryPolicy, failures: number, error: ErrorHints = noHints): number {
  return Math.max(ownWait(policy, failures, error), Math.min(longestHintMs, error.retryAfterMs ?? 0));
}

type ErrorHints = Pick<StorageError, "status" | "retryAfterMs">;

const noHints: ErrorHints = { status: undefined, retryAfterMs: undefined };

function ownWait(policy: RetryPolicy, failures: number, error: ErrorHints): number {
  const { kind = "fixed", delayMs, minMs = 0, maxMs = longestMs, throttleMs = delayMs } = policy;
  switch (kind) {
    case "fixed":
      return delayMs;
    case "exponential":
      return Math.min(minMs + (0.8 + Math.random() * 0.4) * delayMs * (2 ** failures - 1), maxMs);
    case "adaptive": {
      const base = isThrottled(error) ? throttleMs : delayMs;
      return Math.random() * Math.min(maxMs, base * 2 ** (failures - 1));
    }
    default:
      return kind satisfies never;
  }
}

const transientStatuses: ReadonlySet<number | undefined> = new Set([408, 429, 502, 503, 504]);

const transientCodes: ReadonlySet<string> = new Set([
  "storage.unreachable",
  "storage.connection-lost",
  "storage.timeout",
  "storage.truncated",
  "storage.malformed-response",
]);

/**
 * Whether the same request may succeed if it is sent again. False for refusals, and for requests that the caller
 * cancelled.
 */
export function isTransient(error: unknown): error is StorageError {
  if (!StorageError.is(error) || error.code === "storage.cancelled") return false;
  if (error.applied === "maybe" || transientCodes.has(error.code)) return true;
  const isFault =
    error.status === 500 && (error.serviceCode !== undefined || error.code === "storage.status500");
  return isFault || transientStatuses.has(error.status);
}

/** Whether the service reported that it is too busy. */
export const isThrottled = ({ status }: Pick<StorageError, "status">): boolean =>
  status === 429 || status === 503;
