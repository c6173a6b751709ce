import { OptionError } from "@partita/core";
import { type AnyPatterns, isPatterns } from "@partita/patterns";
import {
  accepted,
  type CheckOptions,
  defineOptions,
  tagOf,
  trueOrFalse,
  wholeNumber,
} from "@partita/core/internal";

/** Options for checking patterns. */
export interface CheckPatternsOptions {
  /** The seed of the samples, a whole number from 0; default 1. */
  readonly seed?: number | undefined;
  /** The number of samples per pattern, in addition to the corner values: 0 or more; default 1000. */
  readonly samples?: number | undefined;
}

/** Options for checking patterns, with a lock file. */
export interface AssertPatternsOptions extends CheckPatternsOptions {
  /**
   * A file with the plan of each pattern, so reviews show changes: `"access-patterns.md"`. A missing file is written,
   * except if the environment variable `CI` is set; a different file is an error.
   */
  readonly lock?: string | URL | undefined;
  /**
   * Whether a different lock file is overwritten; by default only if the environment variable `PARTITA_UPDATE_PATTERNS`
   * is set.
   */
  readonly update?: boolean | undefined;
}

const code = "pattern.option";

const checkOptions: CheckOptions = defineOptions<AssertPatternsOptions>(
  "assertPatterns(patterns, options)",
  {
    seed: wholeNumber(0),
    samples: wholeNumber(0),
    lock: accepted(
      'the path of a file: "access-patterns.md"',
      (lock) => (typeof lock === "string" && lock !== "") || tagOf(lock) === "URL",
    ),
    update: trueOrFalse,
  },
  code,
);

/** @throws OptionError `pattern.option` */
export function checkedPatterns(
  call: string,
  patterns: unknown,
  options: AssertPatternsOptions,
): AnyPatterns {
  if (!isPatterns(patterns))
    throw OptionError.wrongValue(code, `${call}(patterns, options)`, {
      takes: "the result of definePatterns()",
      given: undefined,
    });
  checkOptions(options, `${call}(patterns, options)`);
  return patterns as AnyPatterns;
}
