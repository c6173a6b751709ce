// pnpm test:slowed: runs the tests that have waits, limits or races on one core, which a busy loop shares with them.
// Whatever passes or fails by time shows there.
import { spawn } from "node:child_process";
import { bundlePackages } from "./bundle-packages.mjs";
import { onFirstCore } from "./cores.mjs";
import { slowedFiles } from "./slowed-files.ts";
import { run, say } from "./step.mjs";
import { runTests } from "./vitest-run.mjs";

process.env.PARTITA_SLOWED = "1";
say("Compiling packages and examples …");
run("tsc", ["-b"]);
await bundlePackages();
const pinned = onFirstCore ?? [];
say(
  onFirstCore !== undefined
    ? "Running tests with waits, limits or races on one core that is kept busy …"
    : "Running tests with waits, limits or races beside a busy loop (taskset would pin both to one core) …",
);
const [program, ...args] = [...pinned, process.execPath, "-e", "for (;;);"];
const busy = spawn(program, args, { stdio: "ignore" });
const isPassed = runTests("temp/test-results-slowed.json", [
  ...pinned,
  "vitest",
  "run",
  "--project",
  "!platforms*",
  ...slowedFiles(),
]);
busy.kill("SIGKILL");
process.exit(isPassed ? 0 : 1);
