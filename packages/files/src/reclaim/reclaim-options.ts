import {
  abortSignal,
  aFunction,
  type CheckOptions,
  defineOptions,
  wholeNumber,
} from "@partita/core/internal";

/** The progress of a call of `reclaim`. */
export interface ReclaimReport {
  /** Versions that were inspected. */
  readonly inspected: number;
  /** Versions with deleted blocks. */
  readonly reclaimed: number;
  /** Blocks that were deleted. */
  readonly blocks: number;
}

/** Options for reclaiming. */
export interface ReclaimOptions {
  /**
   * Pages of versions that this call processes concurrently. Default 4. Other processes may share the work.
   */
  readonly concurrency?: number | undefined;
  /** How long a worker may be silent before others take over its page, in milliseconds. Default 15,000. */
  readonly claimTimeoutMs?: number | undefined;
  /** Called after each reclaimed version. */
  readonly onProgress?: ((progress: ReclaimReport) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws OptionError `file.option` */
export const checkReclaim: CheckOptions = defineOptions<ReclaimOptions>(
  "reclaim(options)",
  { concurrency: wholeNumber(1), claimTimeoutMs: wholeNumber(1), onProgress: aFunction, signal: abortSignal },
  "file.option",
);
