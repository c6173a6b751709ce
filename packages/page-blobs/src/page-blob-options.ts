import {
  abortSignal,
  accepted,
  aFunction,
  type Check,
  type CheckOptions,
  connectionChecks,
  defineOptions,
  restChecks,
  trueOrFalse,
  wholeNumber,
} from "@partita/core/internal";
import { pageBytes, type PageRangesOptions } from "./page-blob.ts";
import type { ConnectionOptions } from "@partita/core/rest";
import type { RestOptions } from "@partita/core";

/** Settings of a page blob. */
export interface OpenPageBlobOptions
  extends Pick<RestOptions, "credential" | "allowInsecure" | "clock">, ConnectionOptions {
  /** `container/name`, if the target is a connection string or the URL of the blob endpoint. */
  readonly blob?: string | undefined;
}

export const openPageBlobCall = "openPageBlob(target, options)";

/** @throws OptionError `blobs.option` */
export const checkOpenPageBlob: CheckOptions = defineOptions<OpenPageBlobOptions>(
  openPageBlobCall,
  {
    credential: restChecks.credential,
    allowInsecure: restChecks.allowInsecure,
    clock: restChecks.clock,
    ...connectionChecks,
    blob: accepted('"container/name"', (value) => typeof value === "string" && /^[^/]+\/./.test(value)),
  },
  "blobs.option",
);

/**
 * The largest page blob. Source: learn.microsoft.com "Scalability and performance targets for Blob storage".
 */
const maxBlobBytes = 8 * 1024 ** 4;

const isPages = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) % pageBytes === 0 && (value as number) <= maxBlobBytes;

const segmentBytes: Check<number> = {
  takes: `segmentBytes as a multiple of ${pageBytes} above 0 and up to 8 TiB, such as 150 * 1024 ** 2`,
  // With 0, the next segment would start at the same byte.
  accepts: (value) => isPages(value) && (value as number) > 0,
};

/** @throws OptionError `blobs.option` */
export const checkPageRanges: CheckOptions = defineOptions<PageRangesOptions>(
  "pageRanges(options)",
  {
    segmentBytes,
    // The longest delay of Node's timers.
    timeoutMs: wholeNumber(1, 2 ** 31 - 1),
    from: accepted(
      `a multiple of ${pageBytes}, 0 or more`,
      (value) => isPages(value) && (value as number) >= 0,
    ),
    join: trueOrFalse,
    unchanged: trueOrFalse,
    snapshot: accepted(
      "the time of a snapshot: 2026-11-22T21:00:00.0000000Z",
      (value) => typeof value === "string" && /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value),
    ),
    signal: abortSignal,
    onProgress: aFunction,
  },
  "blobs.option",
);
