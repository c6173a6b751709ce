// pnpm test: compiles the packages and examples, runs every test, and ends with one line of counts.
import { run, say } from "./step.mjs";
import { runTests } from "./vitest-run.mjs";

say("Compiling packages and examples …");
run("tsc", ["-b"]);
say("Running the tests: behaviour, laws, types, examples, and the conformance suite …");
const arePassed = runTests("temp/test-results.json", ["vitest", "run", ...process.argv.slice(2)]);
process.exit(arePassed ? 0 : 1);
