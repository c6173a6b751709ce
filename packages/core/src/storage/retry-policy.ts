import { StorageError } from "../values/errors/storage-error.ts";
import { accepted, oneOf, required, wholeNumber } from "../values/options/checks.ts";
import {
  type Check,
  type CheckOptions,
  defineOptions,
  refusedOption,
} from "../values/options/define-options.ts";

/** How often a request is tried, and how long to wait in between. Times are milliseconds. */
export interface RetryPolicy {
  /** How the wait grows with each failure; `fixed` when absent. */
  readonly kind?: "fixed" | "exponential" | "adaptive" | undefined;
  /** Tries in all, the first included: 1 or more. */
  readonly attempts: number;
  /** The wait, or what it grows from. A service that asks for more is waited for, up to 30 seconds. */
  readonly delayMs: number;
  /** Exponential: the shortest wait before growth. */
  readonly minMs?: number | undefined;
  /** Exponential and adaptive: the longest wait. */
  readonly maxMs?: number | undefined;
  /** Adaptive: what the wait grows from when the service is busy. */
  readonly throttleMs?: number | undefined;
  /** No try begins later than this after the first; absent, no limit. */
  readonly totalMs?: number | undefined;
}

/** Every request is tried once. */
export const noRetry: RetryPolicy = Object.freeze({ attempts: 1, delayMs: 0 });

/**
 * Tries a request several times, always after the same delay.
 *
 * @param attempts - tries in all, the first included: a whole number, 1 or more
 * @param delayMs - milliseconds between two tries: 0 to 30,000
 * @throws OptionError `context.option`
 */
export function fixed(attempts: number, delayMs: number): RetryPolicy {
  return checkRetryPolicy({ attempts, delayMs });
}

/**
 * Waits `min(minMs + random(0.8 to 1.2) × delayMs × (2^failures − 1), maxMs)`: the formula of the service's own
 * guidance, for work that nobody waits for. Without values: 3 tries, 30 s, at least 3 s, at most 90 s, and no limit to
 * the whole.
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
 * The default: quick, random over the whole wait so that clients do not meet again, slower when the service is busy,
 * and bounded by a budget that all contexts of a storage share. A failure that may pass costs 10 of 100 tokens, one of a
 * busy service 5, and a success gives 1 back; without tokens nothing is tried again, so that a service in trouble is not
 * kept there. Without values: 4 tries, from 50 ms to 5 s, 1 s when busy, 60 s in all.
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
        `0 to ${longestHintMs} ms where the delay is fixed`,
      );
  return Object.freeze({ ...policy });
}

/** A retry policy as an option. */
export const aRetryPolicy: Check<RetryPolicy> = {
  takes: "noRetry, fixed(attempts, delayMs), exponential() or adaptive()",
  accepts: (value) => typeof value === "object" && value !== null,
  inside: (value) => void checkRetryPolicy(value as RetryPolicy),
};

/** Waits at most this long because the service asked for it. */
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
 * How long to wait after a failure.
 *
 * @param failures - so far, this one included
 */
export function waitOf(policy: RetryPolicy, failures: number, error: ErrorHints = noHints): number {
  return Math.max(ownWait(policy, failures, error), Math.min(longestHintMs, error.retryAfterMs ?? 0));
}

/** What an error says of how long to wait. */
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

/** Whether the same request may well succeed when it is sent again. Refusals never do, nor what the caller cancelled. */
export function isTransient(error: unknown): error is StorageError {
  if (!StorageError.is(error) || error.code === "storage.cancelled") return false;
  if (error.applied === "maybe" || transientCodes.has(error.code)) return true;
  const isFault =
    error.status === 500 && (error.serviceCode !== undefined || error.code === "storage.status500");
  return isFault || transientStatuses.has(error.status);
}

/** Whether the service said that it has too much to do. */
export const isThrottled = ({ status }: Pick<StorageError, "status">): boolean =>
  status === 429 || status === 503;
