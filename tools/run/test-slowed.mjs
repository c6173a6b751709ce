// pnpm test:slowed: runs the tests that have processes, sockets or limits on one core, which a busy loop shares with them.
// Whatever passes or fails by time shows there.
import { spawn } from "node:child_process";
import { bundlePackages } from "./bundle-packages.mjs";
import { onFirstCore } from "./cores.mjs";
import { run, say } from "./step.mjs";
import { runTests } from "./vitest-run.mjs";

/** Parts of paths: the tier of services, and other tests that have limits. */
const files = [
  ".service.test",
  "packages/core/test/stores/",
  "packages/queues/test/",
  "packages/maintenance/test/database/",
  "packages/maintenance/test/upgrades/",
  "packages/core/test/features/fan-out",
  "packages/core/test/features/upgrade-",
  "packages/core/test/features/unit-of-work/lost-responses/resolve",
];

process.env.PARTITA_SLOWED = "1";
say("Compiling packages and examples …");
run("tsc", ["-b"]);
await bundlePackages();
const pinned = onFirstCore ?? [];
say(
  onFirstCore !== undefined
    ? "Running tests with processes, sockets or limits on one core that is kept busy …"
    : "Running tests with processes, sockets or limits beside a busy loop (taskset would pin both to one core) …",
);
const [program, ...args] = [...pinned, process.execPath, "-e", "for (;;);"];
const busy = spawn(program, args, { stdio: "ignore" });
const isPassed = runTests("temp/test-results-slowed.json", [
  ...pinned,
  "vitest",
  "run",
  "--project",
  "!platforms*",
  // Faults that come as planned under a virtual clock, kills at counted statements, and laws that have neither processes nor
  // sockets nor limits: they take minutes here, and show nothing that they do not show elsewhere.
  ...[
    "faults/matrix.service",
    "features/domain/stores.service",
    "upgrade-processes.service",
    "kill.service",
    "upgrade-table.law",
    "query-law/azurite.service",
    "foreign-writer.service",
    "hostile/wire-values.service",
    "hostile/code-generation.service",
    "race-registrations.service",
    "generate/generate.service",
    "core/test/stores/**/*.law",
    "maintenance/test/database/**/*.law",
    "queues/test/**/*.law",
    "upgrade-histories.law",
  ].flatMap((name) => ["--exclude", `**/${name}.test.ts`]),
  ...files,
]);
busy.kill("SIGKILL");
process.exit(isPassed ? 0 : 1);
