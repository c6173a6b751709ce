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

  const { numPassedTests, numFailedTests, numFailedTestSuites } = readResults(results);
  // A file that cannot be loaded has no failed test of its own, and must not count as green.
  const failed = Math.max(numFailedTests, status === 0 ? 0 : 1, numFailedTestSuites > 0 ? 1 : 0);
  console.log(`\n${numPassedTests} passed, ${failed} failed`);
  return failed === 0 && numPassedTests > 0;
}

function readResults(results) {
  try {
    return JSON.parse(readFileSync(results, "utf8"));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numFailedTestSuites: 1 };
  }
}
