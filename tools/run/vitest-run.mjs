import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";

/**
 * Runs tests and prints how many passed and failed.
 *
 * @param {string} results - the file for the counts
 * @param {readonly string[]} command - what runs Vitest, first the program
 * @returns {boolean} whether tests ran, and all passed
 */
export function runTests(results, [program, ...args]) {
  mkdirSync("temp", { recursive: true });
  rmSync(results, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  const { status } = spawnSync(program, [...args, ...reporters], { stdio: "inherit" });

  const counts = countsOf(readResults(results));
  const failed = Math.max(counts.failed, status === 0 ? 0 : 1);
  console.log(`\n${counts.passed} passed, ${failed} failed`);
  return failed === 0 && counts.passed > 0;
}

/** What a run of tests wrote; undefined where it ended before. */
export function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** How many tests passed and failed. A file that cannot be loaded has no failed test of its own, and must not count as green. */
export function countsOf(results) {
  if (results === undefined) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, numFailedTestSuites } = results;
  return { passed: numPassedTests, failed: Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0) };
}
