import { type Clock, systemClock } from "./clock.ts";
import { adaptive, isThrottled, isTransient, type RetryPolicy, waitOf } from "./retry-policy.ts";
import type { TableStorage } from "./table-storage.ts";

/** What a request is tried again by. */
export interface Retries {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  /** Shared by all who use the storage. */
  readonly budget: RetryBudget;
}

/** How requests are tried again by those who name no policy. */
const defaultRetry: RetryPolicy = adaptive();

export const retriesOf = (
  storage: TableStorage,
  policy: RetryPolicy = defaultRetry,
  clock: Clock = systemClock,
): Retries => ({ policy, clock, budget: budgetOf(storage) });

const fullBudget = 100;
const transientCost = 10;
const throttleCost = 5;

/** Tokens for tries beyond the first: failures spend them, successes earn them back. */
export class RetryBudget {
  #tokens = fullBudget;

  earn(): void {
    if (this.#tokens < fullBudget) this.#tokens++;
  }

  /** False, and nothing spent, when there is not enough left. */
  spend(cost: number): boolean {
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }
}

const budgets = new WeakMap<TableStorage, RetryBudget>();

function budgetOf(storage: TableStorage): RetryBudget {
  const found = budgets.get(storage) ?? new RetryBudget();
  budgets.set(storage, found);
  return found;
}

/** The tries of one request. */
export class Attempts {
  readonly #retries: Retries;
  readonly #signal: AbortSignal | undefined;
  readonly #startedAt: number;
  /** Which try is under way, counted from 1. */
  number = 1;

  constructor(retries: Retries, signal: AbortSignal | undefined) {
    this.#retries = retries;
    this.#signal = signal;
    this.#startedAt = retries.policy.attempts > 1 ? retries.clock.now() : 0;
  }

  succeeded(): void {
    this.#retries.budget.earn();
  }

  /** Waits for the next try; false when there is none, or the signal ended the waiting. */
  async next(error: unknown): Promise<boolean> {
    const { policy, clock, budget } = this.#retries;
    if (this.number >= policy.attempts || !isTransient(error) || this.#hasEnded()) return false;
    const waitMs = waitOf(policy, this.number, error);
    const { totalMs = Number.POSITIVE_INFINITY } = policy;
    if (waitMs > this.#startedAt + totalMs - clock.now()) return false;
    if (policy.kind === "adaptive" && !budget.spend(isThrottled(error) ? throttleCost : transientCost))
      return false;
    if (waitMs > 0) await clock.wait(waitMs, this.#signal);
    if (this.#hasEnded()) return false;
    this.number++;
    return true;
  }

  #hasEnded(): boolean {
    return this.#signal?.aborted === true;
  }
}
