import type { DeclaredPatterns } from "@partita/core/models";
import { PatternError } from "@partita/patterns";
import type { CheckedPattern } from "./check-pattern.ts";
import { holdToLock } from "./lock-file.ts";
import { type AssertPatternsOptions, checkedPatterns, type CheckPatternsOptions } from "./pattern-options.ts";

/**
 * Checks declared access patterns: plans each with every combination of the corners of its parameters, and with 1,000
 * samples that are always the same, and compares each plan with the bounds. Nothing is sent, and no storage is needed. It
 * checks values; it does not prove that no other value is worse.
 *
 * @returns what was found out about each pattern, with the `failure` of one that does not hold
 * @throws OptionError `pattern.option`
 */
export async function checkPatterns(
  patterns: DeclaredPatterns,
  options: CheckPatternsOptions = {},
): Promise<readonly CheckedPattern[]> {
  return checkEach("checkPatterns", patterns, options);
}

/**
 * Checks declared access patterns as `checkPatterns` does, and holds them to a lock file where one is named:
 * `await assertPatterns(patterns, { lock: "access-patterns.md" })`.
 *
 * @returns what was found out about each pattern
 * @throws PatternError `pattern.too-wide` with the value that shows it, shrunk; `pattern.not-planned`;
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
  // fast-check is loaded by those who use it.
  const { checkPattern } = await import("./check-pattern.ts");
  return all.map((pattern) => checkPattern(pattern, { seed, samples }));
}

/** One error for all patterns that do not hold: its code and details are the first one's. */
function together(failures: readonly PatternError[]): PatternError {
  const [first] = failures as readonly [PatternError];
  if (failures.length === 1) return first;
  const message = failures.map((failure) => failure.message).join("\n");
  return new PatternError(first.code, message, { ...first.details, failures });
}
