// pnpm test: compiles the packages and examples, runs the tests of behaviour, and ends with one line of counts.
// pnpm test:platforms: the same packages with other compilers, in bundles, packed, and in a Node that forbids some things.
import { run, say } from "./step.mjs";
import { runTests } from "./vitest-run.mjs";

const isOfPlatforms = process.argv[2] === "--platforms";
const others = process.argv.slice(isOfPlatforms ? 3 : 2);
const projects = ["toolchains", "hostile (hardened)"].flatMap((name) => [
  "--project",
  isOfPlatforms ? name : `!${name}`,
]);

say("Compiling packages and examples …");
run("tsc", ["-b"]);
say(
  isOfPlatforms
    ? "Running the tests of compilers, bundlers, packed packages and restricted runtimes …"
    : "Running the tests: behaviour, laws, types, examples, and the conformance suite …",
);
const results = isOfPlatforms ? "temp/test-results-platforms.json" : "temp/test-results.json";
process.exit(runTests(results, ["vitest", "run", ...projects, ...others]) ? 0 : 1);
