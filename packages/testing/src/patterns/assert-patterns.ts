import type { DeclaredPatterns } from "@partita/core/models";
import { PatternError } from "@partita/patterns";
import type { CheckedPattern } from "./check-pattern.ts";
import { holdToLock } from "./lock-file.ts";
import { type AssertPatternsOptions, checkedPatterns, type CheckPatternsOptions } from "./pattern-options.ts";

/**
 * Checks declared access patterns. It plans each pattern with every combination of its parameters' corner values and
 * with 1,000 fixed samples, and compares each plan with the pattern's bounds. Nothing is sent, and no storage is
 * needed. This is a test, not a proof: other values may have worse plans.
 *
 * @returns the result for each pattern, with a `failure` if its bounds do not hold
 * @throws OptionError `pattern.option`
 */
export async function checkPatterns(
  patterns: DeclaredPatterns,
  options: CheckPatternsOptions = {},
): Promise<readonly CheckedPattern[]> {
  return checkEach("checkPatterns", patterns, options);
}

/**
 * Checks declared access patterns like `checkPatterns`, and compares them with a lock file if you pass one:
 * `await assertPatterns(patterns, { lock: "access-patterns.md" })`.
 *
 * @returns the result for each pattern
 * @throws PatternError `pattern.too-wide` with the shrunk value that shows the problem; `pattern.not-planned`;
 *   `pattern.lock-changed`, `pattern.lock-missing`; OptionError `pattern.option`
 */
export async function assertPatterns(
  patterns: DeclaredPatterns,
  options: AssertPatternsOptions = {},
): Promise<readonly CheckedPattern[]> {
  const checked = await checkEach("assertPatterns", patterns, options);
  const failures = checked.flatMap(({ failure }) => failure ?? []);
  if (failures.length > 0) throw together(failures);
  const { lock, update } = options;
  if (lock !== undefined) holdToLock(checked, lock, update);
  return checked;
}

async function checkEach(
  call: string,
  patterns: DeclaredPatterns,
  options: AssertPatternsOptions,
): Promise<readonly CheckedPattern[]> {
  const all = Object.values(checkedPatterns(call, patterns, options));
  const { seed = 1, samples = 1_000 } = options;
  // Load fast-check only when it is needed.
  const { checkPattern } = await import("./check-pattern.ts");
  return all.map((pattern) => checkPattern(pattern, { seed, samples }));
}

/** One error for all failed patterns, with the code and details of the first. */
function together(failures: readonly PatternError[]): PatternError {
  const [first] = failures as readonly [PatternError];
  if (failures.length === 1) return first;
  const message = failures.map((failure) => failure.message).join("\n");
  return new PatternError(first.code, message, { ...first.details, failures });
}
