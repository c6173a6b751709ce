// Which tests `pnpm test:slowed` runs: those that name a wait or a limit, whose outcome could depend on how fast the machine is. All
// others do the same work there as in `pnpm test`, in twice the time.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const workspace = join(import.meta.dirname, "../..");

/** The tier of services, and other tests that have limits. */
const candidates = [
  "{packages,examples,tools}/*/test/**/*.service.test.ts",
  "packages/core/test/stores/**/*.test.ts",
  "packages/queues/test/**/*.test.ts",
  "packages/core/test/features/unit-of-work/lost-responses/resolve*.test.ts",
];

/** Names of waits, limits, and deaths of processes. */
const time =
  /\b(setTimeout|setInterval|AbortSignal|waitFor|poll|sleep|kill|keepAlive|performance|[a-z]\w*Ms|ms:)\b/;

/** Work of several callers or processes at once, where the order may change with the machine. */
const concurrent = [
  "packages/core/test/features/fan-out.law.test.ts",
  "packages/core/test/features/indexes/unique-races.service.test.ts",
  "packages/core/test/stores/embedded/fair-lock.test.ts",
  "packages/core/test/stores/embedded/group-commit.test.ts",
  "packages/core/test/stores/embedded/read-together.test.ts",
  "packages/core/test/stores/embedded/storage-lifetime.test.ts",
  "packages/core/test/stores/embedded/turns.test.ts",
  "packages/server/test/batches.service.test.ts",
  "packages/testing/test/hostile/transport.service.test.ts",
  "packages/testing/test/simulation/stores.service.test.ts",
];

/** One of each package whose tests of services name no time. */
const ofOtherPackages = [
  "packages/eslint-plugin/test/oxlint.service.test.ts",
  "packages/studio/test/studio.service.test.ts",
  "packages/workflows/test/outbox/outbox.service.test.ts",
  "tools/site/test/search/search.service.test.ts",
];

/**
 * Faults that come as planned under a virtual clock, kills at counted statements, and laws that have neither processes nor sockets
 * nor limits: they take minutes here, and show nothing that they do not show elsewhere.
 */
const without = [
  "packages/*/test/**/kill.service.test.ts",
  "packages/*/test/**/*.law.test.ts",
  "packages/testing/test/consistency/consistency.service.test.ts",
  "packages/testing/test/faults/matrix.service.test.ts",
];

/** The files, as paths of the workspace. */
export function slowedFiles(): string[] {
  const timed = globSync(candidates, { cwd: workspace, exclude: without }).filter((file) =>
    time.test(readFileSync(join(workspace, file), "utf8")),
  );
  return [...new Set([...timed, ...concurrent, ...ofOtherPackages])].sort();
}
