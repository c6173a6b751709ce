// pnpm check: what must hold before a commit, in at most three minutes on two idle cores; stops at the first thing that does not.
// pnpm check --all: all that a build server checks; goes on after a failure, and ends with how long each step took and a line of counts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { onOtherCores } from "./cores.mjs";
import { run, say } from "./step.mjs";
import { printDurations, printFailures, totalOf } from "./summary.mjs";

const quick = [
  ["Formatting", "oxfmt", ["--check"]],
  ["Types, of tests and tools too", "pnpm", ["run", "types"]],
  ["Lint", "oxlint", []],
  ["Layers: each folder imports only from those below it", "pnpm", ["run", "layers"]],
  ["Idioms in comments, messages and guides", "node", ["tools/words/src/main.ts"]],
  ["Unused code and dependencies", "knip", []],
  ["Public API against the reports in packages/*/etc", "pnpm", ["run", "api"]],
];
const units = ["Unit tests", "vitest", ["run", "--project", "unit*", "--reporter=minimal"]];

/** Tests write what passed and failed into a file, which the summary reads. */
const tests = [
  ["Tests", "pnpm", ["test", "--full"], "temp/test-results.json"],
  ["Tests of platforms", "pnpm", ["run", "test:platforms"], "temp/test-results-platforms.json"],
];
/** It has one core. */
const slowed = ["Tests on a busy core", "pnpm", ["run", "test:slowed"], "temp/test-results-slowed.json"];
/** Steps for the other cores meanwhile; each uses little more than one. */
const meanwhile = [
  ["Packages as they would be published, and their sizes", "pnpm", ["run", "package"]],
  ["The documentation site", "pnpm", ["run", "docs:build"]],
  ["Bugs that tests must catch", "pnpm", ["run", "planted-bugs"]],
];

if (process.argv.includes("--all")) await checkAll();
else {
  for (const [title, command, args] of [...quick, units]) {
    say(title);
    run(command, args);
  }
  say("All checks passed. `pnpm check --all` has more, and takes 15 to 30 minutes.");
}

async function checkAll() {
  const results = [...tests, slowed].map(([, , , file]) => file);
  // Those of an earlier run would be counted where this one's end before they begin.
  for (const file of results) rmSync(file, { force: true });
  const done = await inTurns([...quick, ...tests]);
  done.push(...(await withBusyCore()));

  say("Summary");
  printDurations(done);
  printFailures(results);
  const failed = done.filter(({ isPassed }) => !isPassed);
  for (const { title } of failed) console.log(`Failed: ${title}`);
  const counts = totalOf(results);
  // A step that fails without a failed test, such as a check that is none, counts as one failure.
  const others = failed.filter(({ file }) => file === undefined || totalOf([file]).failed === 0).length;
  console.log(`${counts.passed} passed, ${counts.failed + others} failed`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

/** Tests on a busy core, and other steps on the other cores, if there are any; these print when all have ended. */
async function withBusyCore() {
  if (onOtherCores === undefined) return inTurns([slowed, ...meanwhile]);
  const printed = [];
  const [ofSlowed, ofOthers] = await Promise.all([
    inTurns([slowed]),
    inTurns(meanwhile, { starter: onOtherCores, print: (text) => printed.push(text) }),
  ]);
  process.stdout.write(printed.join(""));
  return [...ofSlowed, ...ofOthers];
}

/** Runs steps one after another, and goes on after a failure. */
async function inTurns(steps, options) {
  const done = [];
  for (const [title, command, args, file] of steps) {
    const began = performance.now();
    const isPassed = await perform(title, [command, ...args], options);
    done.push({ title, file, isPassed, seconds: (performance.now() - began) / 1000 });
  }
  return done;
}

/** Runs a step; what it prints goes to `print` instead of the terminal, if that is given. */
async function perform(title, command, { starter = [], print } = {}) {
  if (print === undefined) say(title);
  else print(`\n▸ ${title}\n`);
  const [program, ...args] = [...starter, ...command];
  const child = spawn(program, args, { stdio: print === undefined ? "inherit" : ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", print);
  try {
    const [status] = await once(child, "close");
    return status === 0;
  } catch (error) {
    console.error(`${program} could not be started: ${error.message}`);
    return false;
  }
}
