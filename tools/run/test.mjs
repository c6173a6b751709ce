// pnpm test: compiles the packages and examples, runs every test, and ends with one line of counts.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { run, say } from "./step.mjs";

const results = "temp/test-results.json";
mkdirSync("temp", { recursive: true });
rmSync(results, { force: true });

say("Compiling packages and examples …");
run("tsc", ["-b"]);
say("Running the tests: behaviour, laws, types, examples, and the conformance suite …");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
const { status } = spawnSync("vitest", ["run", ...reporters, ...process.argv.slice(2)], { stdio: "inherit" });

const { numPassedTests, numFailedTests, numFailedTestSuites } = readResults();
// A file that cannot be loaded has no failed test of its own, and must not count as green.
const failed = Math.max(numFailedTests, status === 0 ? 0 : 1, numFailedTestSuites > 0 ? 1 : 0);
console.log(`\n${numPassedTests} passed, ${failed} failed`);
process.exit(failed > 0 || numPassedTests === 0 ? 1 : 0);

function readResults() {
  try {
    return JSON.parse(readFileSync(results, "utf8"));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numFailedTestSuites: 1 };
  }
}
