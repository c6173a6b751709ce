// pnpm test: compiles the packages and examples, runs units, laws and services, and ends with one line of counts.
// pnpm test --full: the same with more cases, as on the build server.
// pnpm test:platforms: the same packages with other compilers, in bundles, packed, and in a Node that forbids some things.
// pnpm test:torture: laws and services in their long form, for hours.
import { bundlePackages } from "./bundle-packages.mjs";
import { run, say } from "./step.mjs";
import { runTests } from "./vitest-run.mjs";

const main = { projects: "!platforms*", results: "temp/test-results.json" };
const runs = {
  "--full": {
    ...main,
    what: "units, laws, types, services, examples, and the conformance suite, with every case",
    variable: "PARTITA_FULL",
  },
  "--platforms": {
    what: "compilers, bundlers, packed packages and restricted runtimes",
    projects: "platforms*",
    results: "temp/test-results-platforms.json",
  },
  "--torture": {
    what: "laws and services in their long form",
    projects: "torture*",
    results: "temp/test-results-torture.json",
    variable: "PARTITA_LONG",
  },
  default: { ...main, what: "units, laws, types, services, examples, and the conformance suite" },
};

const [first = "default", ...rest] = process.argv.slice(2);
const isNamed = first in runs;
const { what, projects, results, variable } = runs[isNamed ? first : "default"];
if (variable !== undefined) process.env[variable] = "1";

say("Compiling packages and examples …");
run("tsc", ["-b"]);
await bundlePackages();
say(`Running the tests: ${what} …`);
const others = isNamed ? rest : [first, ...rest];
process.exit(runTests(results, ["vitest", "run", "--project", projects, ...others]) ? 0 : 1);
