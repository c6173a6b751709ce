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

/** How patterns are checked. */
export interface CheckPatternsOptions {
  /** Which samples are drawn; default 1. */
  readonly seed?: number | undefined;
  /** How many samples of each pattern are planned beside the corners; default 1000. */
  readonly samples?: number | undefined;
}

/** How patterns are checked, and where their plans are written down. */
export interface AssertPatternsOptions extends CheckPatternsOptions {
  /**
   * A file that lists the plan of each pattern, so that reviews show what changes: `"access-patterns.md"`. A file that is
   * missing is written, except where the environment says `CI`; a file that differs is an error.
   */
  readonly lock?: string | URL | undefined;
  /**
   * Whether the lock file is written where it differs; without it, only where `PARTITA_UPDATE_PATTERNS` is set in the
   * environment.
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
      takes: "what definePatterns() returns",
      given: undefined,
    });
  checkOptions(options, `${call}(patterns, options)`);
  return patterns as AnyPatterns;
}
