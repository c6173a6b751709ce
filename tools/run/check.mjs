// pnpm check: what must hold before a commit, in at most three minutes on two idle cores; stops at the first thing that does not.
// pnpm check --all: all that a build server checks; goes on after a failure, and ends with a line of counts.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { run, say } from "./step.mjs";
import { printFailures, totalOf } from "./summary.mjs";

const quick = [
  ["Formatting", "oxfmt", ["--check"]],
  ["Types, of tests and tools too", "pnpm", ["run", "types"]],
  ["Lint", "oxlint", []],
  ["Layers: each folder imports only from those below it", "pnpm", ["run", "layers"]],
  ["Words in comments, messages and guides", "node", ["tools/words/check.mjs"]],
  ["Unused code and dependencies", "knip", []],
  ["Public API against the reports in packages/*/etc", "pnpm", ["run", "api"]],
];
const units = ["Unit tests", "vitest", ["run", "--project", "unit*", "--reporter=minimal"]];

/** Tests write what passed and failed into a file, which the summary reads. */
const tests = [
  ["Tests", "pnpm", ["test"], "temp/test-results.json"],
  ["Tests of platforms", "pnpm", ["run", "test:platforms"], "temp/test-results-platforms.json"],
  ["Tests on a busy core", "pnpm", ["run", "test:slowed"], "temp/test-results-slowed.json"],
];
const slow = [
  ["Packages as they would be published, and their sizes", "pnpm", ["run", "package"]],
  ["Bugs that tests must catch", "pnpm", ["run", "planted-bugs"]],
  ["The documentation site", "pnpm", ["run", "docs:build"]],
];

if (process.argv.includes("--all")) checkAll([...quick, ...tests, ...slow]);
else {
  for (const [title, command, args] of [...quick, units]) {
    say(title);
    run(command, args);
  }
  say("All checks passed. `pnpm check --all` has more, and takes most of an hour.");
}

function checkAll(steps) {
  const results = tests.map(([, , , file]) => file);
  // Those of an earlier run would be counted where this one's end before they begin.
  for (const file of results) rmSync(file, { force: true });
  const failed = steps.filter(([title, command, args]) => {
    say(title);
    return spawnSync(command, args, { stdio: "inherit" }).status !== 0;
  });
  say("Summary");
  printFailures(results);
  for (const [title] of failed) console.log(`Failed: ${title}`);
  const counts = totalOf(results);
  // A step that fails without a failed test, such as a check that is none, counts as one failure.
  const others = failed.filter(([, , , file]) => file === undefined || totalOf([file]).failed === 0).length;
  console.log(`${counts.passed} passed, ${counts.failed + others} failed`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
