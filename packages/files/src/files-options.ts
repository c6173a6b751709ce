import type { RetryPolicy } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import {
  accepted,
  aClock,
  aRetryPolicy,
  type CheckOptions,
  defineOptions,
  optionsOf,
  trueOrFalse,
  wholeNumber,
} from "@partita/core/internal";
import { checkZones, type ZonePolicy } from "./paths/zones.ts";
import { maxBlockBytes } from "./rows/block-limits.ts";

/** Options for opening a file system. */
export interface FilesOptions {
  /**
   * Prefix of its two tables, `<name>Files` and `<name>Blocks`: letters and digits, a letter first, at most
   * 57. Default `Partita`.
   */
  readonly name?: string | undefined;
  /**
   * Bytes of a full block: 1 to 983,040. Default 262,144. It may differ each time you open the file system.
   */
  readonly blockSize?: number | undefined;
  /**
   * Bytes of the largest file that `write` stores with its name, in one transaction: 0 to 1,048,576. Larger
   * files get a partition of their own. Default 65,536. It may differ each time you open the file system.
   */
  readonly smallFileBytes?: number | undefined;
  /**
   * Policies by path prefix, such as `{ "/scratch": { keepDeletedMs: 0 } }`. `/` is the policy of all other
   * files. The paths are fixed when the first file is created, but you can change the policies at any time.
   * If absent, the stored paths apply and `reclaim` is refused, because policies are not stored.
   */
  readonly zones?: Readonly<Record<string, ZonePolicy>> | undefined;
  /**
   * Number of partitions for the names of a zone's files: 1, 2, 4 and so on up to 256. It is fixed when the
   * first file is created. Default 1, which serves about 2,000 new or changed names a second.
   */
  readonly buckets?: number | undefined;
  /**
   * Whether the file system is only read: calls that would change it throw `file.read-only`. Default false.
   *
   * ```ts
   * const reader = tableFiles(storage, { name: "Docs", readOnly: true });
   * ```
   */
  readonly readOnly?: boolean | undefined;
  /** The clock for times and delays. Defaults to the system's. */
  readonly clock?: Clock | undefined;
  /** The retry policy of failed requests. */
  readonly retry?: RetryPolicy | undefined;
}

const milliseconds = (least: number): ReturnType<typeof accepted<number>> =>
  accepted(`milliseconds, ${least} or more`, (value) => typeof value === "number" && value >= least);

const checkPolicy = defineOptions<ZonePolicy>(
  "a zone",
  // A delayed request of an abandoned writer must find nothing to write to.
  { keepDeletedMs: milliseconds(0), keepWritingMs: milliseconds(300_000), keepReplacedMs: milliseconds(0) },
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
    smallFileBytes: wholeNumber(0, 1_048_576),
    zones: policies,
    buckets: accepted(
      "1, 2, 4, 8, 16, 32, 64, 128 or 256",
      (value) =>
        typeof value === "number" && value >= 1 && value <= 256 && Number.isInteger(Math.log2(value)),
    ),
    readOnly: trueOrFalse,
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
