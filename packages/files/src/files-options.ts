import type { RetryPolicy } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import {
  accepted,
  aClock,
  aRetryPolicy,
  type CheckOptions,
  defineOptions,
  optionsOf,
  wholeNumber,
} from "@partita/core/internal";
import { checkZones, type ZonePolicy } from "./paths/zones.ts";
import { maxBlockBytes } from "./rows/block-limits.ts";

/** How a file system is opened. */
export interface FilesOptions {
  /**
   * The name that its two tables begin with, `<name>Files` and `<name>Blocks`: letters and digits, a letter first, at most
   * 57; default `Partita`.
   */
  readonly name?: string | undefined;
  /** Bytes of a full block: 1 to 983,040; default 262,144. It may be another one each time. */
  readonly blockSize?: number | undefined;
  /**
   * Paths below which files share a policy, such as `{ "/scratch": { keepDeletedMs: 0 } }`; `/` is the policy of all
   * others. The paths are fixed when the first file is created, policies may change at any time. Absent, the stored paths hold, and
   * `reclaim` is refused: policies are not stored.
   */
  readonly zones?: Readonly<Record<string, ZonePolicy>> | undefined;
  /**
   * Partitions that the names of a zone's files are spread over: 1, 2, 4 and so on up to 256; fixed when the first file is
   * created. Default 1, which serves some 2,000 new or changed names a second.
   */
  readonly buckets?: number | undefined;
  /** The time, and waiting for it; the system's when absent. */
  readonly clock?: Clock | undefined;
  /** How failed requests are tried again. */
  readonly retry?: RetryPolicy | undefined;
}

const milliseconds = (least: number): ReturnType<typeof accepted<number>> =>
  accepted(`milliseconds, ${least} or more`, (value) => typeof value === "number" && value >= least);

const checkPolicy = defineOptions<ZonePolicy>(
  "a zone",
  // A late request of a writer that was given up must find nothing to write to.
  { keepDeletedMs: milliseconds(0), keepWritingMs: milliseconds(300_000) },
  "file.option",
);

const policies = optionsOf((zones, call) => {
  for (const [zone, policy] of Object.entries(zones as object))
    checkPolicy(policy, `${call ?? "zones"}["${zone}"]`);
});

const check: CheckOptions = defineOptions<FilesOptions>(
  "tableFiles(storage, options)",
  {
    name: accepted(
      "a name of 1 to 57 letters and digits, a letter first",
      (value) => typeof value === "string" && /^[A-Za-z][A-Za-z0-9]{0,56}$/.test(value),
    ),
    blockSize: wholeNumber(1, maxBlockBytes),
    zones: policies,
    buckets: accepted(
      "1, 2, 4, 8, 16, 32, 64, 128 or 256",
      (value) =>
        typeof value === "number" && value >= 1 && value <= 256 && Number.isInteger(Math.log2(value)),
    ),
    clock: aClock,
    retry: aRetryPolicy,
  },
  "file.option",
);

/** @throws OptionError `file.option`; FileError `file.path` for a zone */
export function checkFilesOptions(options: FilesOptions): void {
  check(options);
  checkZones(options.zones ?? {});
}
