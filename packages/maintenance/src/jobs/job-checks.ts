import { abortSignal, aFunction, type Checks, numberAboveZero, wholeNumber } from "@partita/core/internal";

/** The common options of all jobs over a table. */
interface JobOptions {
  readonly rate?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly claimTimeoutMs?: number | undefined;
  readonly onProgress?: ((progress: unknown) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The checks of each option. */
export const jobChecks: Checks<JobOptions> = {
  rate: numberAboveZero,
  concurrency: wholeNumber(1),
  claimTimeoutMs: numberAboveZero,
  onProgress: aFunction,
  signal: abortSignal,
};
