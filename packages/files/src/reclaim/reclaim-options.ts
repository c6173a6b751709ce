import {
  abortSignal,
  aFunction,
  type CheckOptions,
  defineOptions,
  wholeNumber,
} from "@partita/core/internal";

/** What a call of `reclaim` has done so far. */
export interface ReclaimReport {
  /** Versions that were looked at. */
  readonly inspected: number;
  /** Versions whose blocks were removed. */
  readonly reclaimed: number;
  /** Blocks that were removed. */
  readonly blocks: number;
}

/** How files are reclaimed. */
export interface ReclaimOptions {
  /** Pages of versions this call works at together; default 4. Other processes may share the work. */
  readonly concurrency?: number | undefined;
  /** How long a worker may be silent before others take over its page, in milliseconds; default 15,000. */
  readonly claimTimeoutMs?: number | undefined;
  /** Called after each version that was reclaimed. */
  readonly onProgress?: ((progress: ReclaimReport) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws OptionError `file.option` */
export const checkReclaim: CheckOptions = defineOptions<ReclaimOptions>(
  "reclaim(options)",
  { concurrency: wholeNumber(1), claimTimeoutMs: wholeNumber(1), onProgress: aFunction, signal: abortSignal },
  "file.option",
);
