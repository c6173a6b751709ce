// Every layer that sends requests calls `withRetry`. It repeats work after transient failures, as the retry policy
// and the shared retry budget allow. `may-send-again.ts` in `work/recovery/` decides about writes.

import { cancelled } from "../values/errors/storage-error.ts";
import { type Clock, monotonicTime, systemClock } from "./clock.ts";
import { forwardStorage } from "./forward-storage.ts";
import { adaptive, isThrottled, isTransient, type RetryPolicy, waitOf } from "./retry-policy.ts";
import { sharedBy, type SharedState, sharedStateOf } from "./shared-state.ts";
import type { RequestOptions, TableStorage } from "./table-storage.ts";

/** The retry settings of a request. */
export interface Retries {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  /** Usually shared by all users of the storage. */
  readonly budget: RetryBudget;
  readonly shared: SharedState;
}

const defaultRetry: RetryPolicy = adaptive();

export const retriesOf = (
  storage: TableStorage,
  policy: RetryPolicy = defaultRetry,
  clock: Clock = systemClock,
): Retries => {
  const shared = sharedStateOf(storage);
  return { policy, clock, budget: budgetIn(shared), shared };
};

const fullBudget = 100;
const transientCost = 10;
const throttleCost = 5;

/** Tokens for retries: failures spend them, and successes return some. */
export class RetryBudget {
  #tokens = fullBudget;

  earn(): void {
    if (this.#tokens < fullBudget) this.#tokens++;
  }

  /** Returns false and spends nothing if too few tokens are left. */
  spend(cost: number): boolean {
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }
}

const budgetIn = sharedBy(() => new RetryBudget());

/** Limits on the attempts of one piece of work, in addition to the policy. */
export interface TryLimits {
  readonly signal?: AbortSignal | undefined;
  /** Called after each failure: whether the work may be repeated, if the policy allows it. */
  readonly mayRepeat?: (error: unknown) => boolean;
}

/**
 * Runs work, and retries it while its failures are transient and the policy allows it. The last failure is thrown
 * unchanged.
 *
 * @param work - receives the number of the attempt, starting from 1, and the monotonic time of the first one
 */
export async function withRetry<Result>(
  { policy, clock, budget }: Retries,
  work: (attempt: number, startedAt: number) => Promise<Result>,
  { signal, mayRepeat }: TryLimits = {},
): Promise<Result> {
  const startedAt = clock.monotonic?.() ?? clock.now();
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await work(attempt, startedAt);
      budget.earn();
      return result;
    } catch (error) {
      if (mayRepeat?.(error) === false || attempt >= policy.attempts || !isTransient(error)) throw error;
      if (signal?.aborted === true) throw error;
      const waitMs = waitOf(policy, attempt, error);
      const { totalMs = Number.POSITIVE_INFINITY } = policy;
      if (waitMs > startedAt + totalMs - monotonicTime(clock)) throw error;
      const cost = isThrottled(error) ? throttleCost : transientCost;
      if (policy.kind === "adaptive" && !budget.spend(cost)) throw error;
      if (waitMs > 0) await clock.wait(waitMs, signal);
      // The signal was aborted during the wait.
      if ((signal as AbortSignal | undefined)?.aborted === true) throw error;
    }
  }
}

/** The same storage with retried reads. Callers decide whether to repeat writes. */
export const retryReads = (storage: TableStorage, retries: Retries): TableStorage =>
  forwardStorage(storage, {
    query: (table, query, options) => retryRead(retries, options, (own) => storage.query(table, query, own)),
    get: (table, key, options) => retryRead(retries, options, (own) => storage.get(table, key, own)),
  });

/**
 * Reads, and retries according to the policy, or to the request's own options.
 *
 * @param read - receives the options with the number of the attempt
 */
export function retryRead<Result>(
  retries: Retries,
  options: RequestOptions = {},
  read: (options: RequestOptions) => Promise<Result>,
): Promise<Result> {
  const { retry, signal } = options;
  const own = retry === undefined ? retries : { ...retries, policy: retry };
  const work = (attempt: number): Promise<Result> => read({ ...options, attempt });
  return signal === undefined ? withRetry(own, work) : unlessAborted(own, work, signal);
}

/** Like `withRetry`; if the signal stopped the work before its last attempt, reports it as cancelled. */
async function unlessAborted<Result>(
  retries: Retries,
  work: (attempt: number) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  let attempt = 0;
  try {
    return await withRetry(retries, (number) => work((attempt = number)), { signal });
  } catch (error) {
    throw signal.aborted && attempt < retries.policy.attempts ? cancelled(signal) : error;
  }
}

/** Retries work after transient failures. */
export type Patiently = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Retries some work according to the settings, until the signal is aborted. */
export const patientlyBy =
  (retries: Retries, signal: AbortSignal | undefined): Patiently =>
  (work) =>
    // A larger piece of work is not a request, so it does not use the storage's shared budget.
    withRetry({ ...retries, budget: new RetryBudget() }, work, { signal });
