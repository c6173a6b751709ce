// The end of .ci/run: every failed test with its reason, so that the last lines of a log tell it, then one line of counts.
import { stripVTControlCharacters } from "node:util";
import { countsOf, readResults } from "./vitest-run.mjs";

const runs = ["test-results", "test-results-platforms", "test-results-slowed"];
let passed = 0;
let failed = 0;
for (const name of runs) {
  const results = readResults(`temp/${name}.json`);
  const counts = countsOf(results);
  passed += counts.passed;
  failed += counts.failed;
  if (results === undefined)
    console.log(`No results in temp/${name}.json: the run ended before its tests did.`);
  else for (const file of results.testResults) printFailures(file);
}
console.log(`${passed} passed, ${failed} failed`);

function printFailures({ name, status, message, assertionResults }) {
  const failures = assertionResults.filter((test) => test.status === "failed");
  for (const { fullName, failureMessages } of failures) {
    console.log(`Failed: ${fullName}\n  in ${name}\n${start(failureMessages.join("\n"))}`);
  }
  if (status === "failed" && failures.length === 0) console.log(`Failed: ${name}\n${start(message)}`);
}

/** The first lines of a message, without colours; a stack or a long difference is in the log above. */
function start(message = "") {
  const lines = stripVTControlCharacters(message).split("\n").slice(0, 12);
  return lines.map((line) => `  | ${line.slice(0, 300)}`).join("\n");
}
