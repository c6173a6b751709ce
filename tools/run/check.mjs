// pnpm check: everything that must hold before a change is pushed; stops at the first thing that does not.
import { run, say } from "./step.mjs";

const steps = [
  ["Formatting", "oxfmt", ["--check"]],
  ["Types, and those of the tests", "pnpm", ["run", "types"]],
  ["Lint", "oxlint", []],
  ["Layers: each folder imports only from those below it", "pnpm", ["run", "layers"]],
  ["Words in comments, messages and guides", "node", ["tools/words/check.mjs"]],
  ["Unused code and dependencies", "knip", []],
  ["Public API against the reports in packages/*/etc", "pnpm", ["run", "api"]],
  ["Packages as they would be published", "pnpm", ["run", "package"]],
  ["Bugs that tests must catch", "pnpm", ["run", "planted-bugs"]],
  ["Tests", "pnpm", ["test"]],
  ["Tests of platforms", "pnpm", ["run", "test:platforms"]],
];

// The build server has run the tests already when it asks for the rest.
const skipped = process.argv.includes("--skip-tests") ? ["Tests", "Tests of platforms"] : [];
for (const [title, command, args] of steps.filter(([name]) => !skipped.includes(name))) {
  say(title);
  run(command, args);
}
say("All checks passed.");
