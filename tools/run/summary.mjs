import { stripVTControlCharacters } from "node:util";
import { countsOf, readResults } from "./vitest-run.mjs";

/** How many tests passed and failed in several runs, by the files of their results. */
export function totalOf(files) {
  const counts = files.map((file) => countsOf(readResults(file)));
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** Prints how long each step took, the longest first, so that a step that grows shows. */
export function printDurations(steps) {
  console.log("Seconds of each step:");
  for (const { title, seconds } of steps.toSorted((a, b) => b.seconds - a.seconds))
    console.log(`${seconds.toFixed(0).padStart(6)}  ${title}`);
}

/** Prints every failed test with its reason, so that the last lines of a log tell it. */
export function printFailures(files) {
  for (const file of files) {
    const results = readResults(file);
    if (results === undefined) console.log(`No results in ${file}: the run ended before its tests did.`);
    else for (const one of results.testResults) printFailuresOf(one);
  }
}

function printFailuresOf({ name, status, message, assertionResults }) {
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
