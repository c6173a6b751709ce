// pnpm quickstart: builds the packages and runs the main job on real input.
import { bundlePackages } from "./bundle-packages.mjs";
import { run, say } from "./step.mjs";

say("Compiling Partita and the quickstart …");
run("tsc", ["-b", "examples/01-quickstart"]);
await bundlePackages(["core", "decorators"]);
say(
  "Running the quickstart: cities of the world with 1,000 people or more, in one table; --limit keeps the largest.",
);
// A heap of 200 MB is plenty: the program holds one country at a time, and without a bound Node collects late.
run("node", ["--max-old-space-size=200", "examples/01-quickstart/dist/main.js", ...process.argv.slice(2)]);
