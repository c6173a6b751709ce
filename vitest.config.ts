import { availableParallelism } from "node:os";
import { join } from "node:path";
import swc from "unplugin-swc";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { postgresStorages, wrappedStorages } from "./tools/run/other-storages.ts";
import type { Bug } from "./tools/planted-bugs/src/bug.ts";
import { bugsNamed, plantedBug } from "./tools/planted-bugs/src/vite-plugin.ts";

// Tests are in tiers, by the names of their files:
//
// - `*.test.ts`, unit: no processes, no sockets, no property tests. `pnpm dev` watches them.
// - `*.law.test.ts`, laws: properties, models, and promises at scale.
// - `*.service.test.ts`, services: Azurite, servers, sockets, processes.
// - `*.cloud.test.ts`, cloud: real accounts, by `pnpm test:cloud` alone.
// - torture: laws and services in their long form, while PARTITA_LONG is set.
//
// Laws and services do more while PARTITA_FULL is set, as on the build server (`@partita/test-support/effort`).
//
// Tests of types (`*.test-d.ts`) are checked by `pnpm types`.
//
// Platforms are tests that take compilers, bundlers or a restricted Node, or run again over wrapped storages: `pnpm test` leaves
// them to `pnpm test:platforms`.

const isLong = process.env["PARTITA_LONG"] !== undefined;
/** Set by `pnpm test:slowed`. */
const isSlowed = process.env["PARTITA_SLOWED"] !== undefined;
/** Set by `pnpm test:cloud`, where variables name accounts: no other run sends anything to them. */
const hasAccounts = process.env["PARTITA_CLOUD"] !== undefined;
/** Bugs that are planted in what the tests load, one a line; by `pnpm planted-bugs`. */
const bugs = process.env["PARTITA_BUGS"];
/** Whether code cannot be made of text, as in some runtimes: classes are then read and written by loops. */
const byLoops = process.env["PARTITA_LOOPS"] !== undefined;
const noCompiledText: TestOptions = {
  pool: "forks",
  execArgv: ["--disallow-code-generation-from-strings"],
};

// Processes that tests start read the sources in a third of the time once one of them has: Node keeps what it compiled.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "temp/compile-cache");

type Config = TestProjectInlineConfiguration;
type TestOptions = NonNullable<Config["test"]>;

const minute = 60_000;
/** What a test may take. The long form has hours of work, and `pnpm test:slowed` gives a test half of one core. */
const limitMs = isLong ? 60 * minute : isSlowed ? 10 * minute : minute;

/** What every project has in common. */
const shared: TestOptions = {
  // These only end a test that hangs: each is made to be done in a fraction of it.
  testTimeout: limitMs,
  hookTimeout: limitMs,
  expect: { poll: { timeout: limitMs } },
  // One more than there are cores, because some tests wait: for a timer, or for a process.
  maxWorkers: isSlowed ? 1 : availableParallelism() + 1,
  // Tests leave nothing behind for each other: a worker loads modules once for all files of a project.
  isolate: false,
  ...(byLoops && noCompiledText),
  setupFiles: ["tools/run/short-stacks.ts"],
};

interface Part {
  readonly name: string;
  readonly folder: string;
  /** Where the part's tests are; all of `test` by default. */
  readonly tests?: string;
  readonly config?: Config;
  /** Options of the unit tests alone. */
  readonly unit?: TestOptions;
  /** Options of the services alone. */
  readonly services?: TestOptions;
}

function project(tier: string, { name, config = {} }: Part, options: TestOptions): Config {
  const setupFiles = [shared.setupFiles ?? [], options.setupFiles ?? []].flat();
  return {
    ssr: { resolve: { conditions: ["@partita/source"] } },
    ...config,
    test: { ...shared, ...config.test, ...options, setupFiles, name: `${tier}: ${name}` },
  };
}

/** Laws draw the same cases in every run but those of `pnpm test:torture`. */
const fixedSeed = { setupFiles: isLong ? [] : ["tools/run/fixed-seed.ts"] };

/** One project for each tier of a part. */
function tiersOf(part: Part): Config[] {
  const all = `${part.folder}/${part.tests ?? "test"}/**`;
  const laws = { include: [`${all}/*.law.test.ts`], ...fixedSeed };
  const services = { include: [`${all}/*.service.test.ts`], ...fixedSeed, ...part.services };
  if (isLong) return [project("torture", part, { include: [...laws.include, ...services.include] })];
  const unit = {
    include: [`${all}/*.test.ts`],
    exclude: [...laws.include, ...services.include, `${all}/*.cloud.test.ts`],
    setupFiles: ["tools/run/unit-tests-only.ts"],
    ...part.unit,
  };
  return [project("unit", part, unit), project("laws", part, laws), project("services", part, services)];
}

const core: Part = { name: "core", folder: "packages/core" };

const legacyDecorators: Part = {
  name: "decorators (legacy)",
  folder: "packages/decorators",
  tests: "test/legacy",
  config: {
    oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
    // Transformed modules are not cached: the cache does not notice changed decorator flags.
    test: { fsModuleCache: false },
  },
};

const standardDecorators: Part = {
  name: "decorators (standard)",
  folder: "packages/decorators",
  tests: "test/standard",
  config: {
    oxc: false,
    plugins: [
      swc.vite({
        jsc: {
          target: "es2023",
          parser: { syntax: "typescript", decorators: true },
          transform: { decoratorVersion: "2022-03" },
        },
      }),
    ],
    test: { fsModuleCache: false },
  },
};

const server: Part = { name: "server", folder: "packages/server" };
/** One PostgreSQL server for all tests. */
const postgresServer = "tools/test-support/src/postgres-setup.ts";
const postgres: Part = {
  name: "postgres",
  folder: "packages/postgres",
  config: { test: { globalSetup: postgresServer } },
  unit: { globalSetup: [] },
};
const testing: Part = { name: "testing", folder: "packages/testing" };

const account: Part = { name: "account", folder: "packages/account" };
const queues: Part = { name: "queues", folder: "packages/queues" };
const patterns: Part = { name: "patterns", folder: "packages/patterns" };
const jsonSchema: Part = { name: "json-schema", folder: "packages/json-schema" };
const maintenance: Part = { name: "maintenance", folder: "packages/maintenance" };
const transfer: Part = { name: "transfer", folder: "packages/transfer" };
const pageBlobs: Part = { name: "page-blobs", folder: "packages/page-blobs" };
const workflows: Part = { name: "workflows", folder: "packages/workflows" };
const files: Part = { name: "files", folder: "packages/files" };
const openTelemetry: Part = { name: "opentelemetry", folder: "packages/opentelemetry" };
/** Those that use the packages as they are published. */
const bundles = "tools/run/bundle-setup.mjs";
const ofBundles: TestOptions = { globalSetup: bundles };
/** Linters load it as it is published; its units are not about that. */
const eslintPlugin: Part = {
  name: "eslint-plugin",
  folder: "packages/eslint-plugin",
  config: { test: ofBundles },
  unit: { globalSetup: [] },
};
/**
 * Its page is served as it is bundled; its units are not about that. A browser has a second try, since it can be slow on a
 * busy machine.
 */
const studio: Part = {
  name: "studio",
  folder: "packages/studio",
  config: { test: ofBundles },
  unit: { globalSetup: [] },
  services: { retry: 1, testTimeout: 5 * limitMs },
};
const examples: Part = {
  name: "examples",
  folder: "examples",
  tests: "*/test",
  config: { test: { globalSetup: [bundles, postgresServer] } },
};
/** What its commands compile and load is published; its units are not about that. */
const cli: Part = {
  name: "cli",
  folder: "packages/cli",
  config: { test: { globalSetup: [bundles, postgresServer] } },
  unit: { globalSetup: [] },
};
const plantedBugs: Part = { name: "planted bugs", folder: "tools/planted-bugs" };
const bench: Part = { name: "bench", folder: "tools/bench" };
const cloud: Part = { name: "cloud", folder: "tools/cloud" };
const words: Part = { name: "words", folder: "tools/words" };
const site: Part = { name: "site", folder: "tools/site" };
/** What the workspace's own scripts and settings promise. */
const workspace: Part = { name: "workspace", folder: "tools/run" };

/** The features of core and jobs over its indexes again, over storages that a user's code wraps. */
const wrapped = project(
  "platforms",
  { ...core, name: "core (wrapped storages)", config: { plugins: [wrappedStorages()] } },
  {
    include: ["packages/core/test/features/**/*.test.ts", "packages/maintenance/test/indexes/**/*.test.ts"],
    exclude: [
      "packages/{core/test/features,maintenance/test/indexes}/**/*.{service,law}.test.ts",
      // It counts the rows that are read from bytes.
      "packages/core/test/features/indexes/copies-as-bytes.test.ts",
      // It counts the rows that an engine does not read.
      "packages/core/test/features/domain/large-partitions.test.ts",
    ],
    setupFiles: [...fixedSeed.setupFiles, "tools/run/unit-tests-only.ts"],
  },
);

/** The features of core and of other packages, over PostgreSQL. */
const overPostgres = project(
  "platforms",
  {
    ...postgres,
    name: "features over PostgreSQL",
    config: { ...postgres.config, plugins: [postgresStorages()] },
  },
  {
    include: [
      "packages/core/test/features/**/*.test.ts",
      "packages/maintenance/test/{indexes,jobs,moves,upgrades}/**/*.test.ts",
      "packages/{queues,workflows,files}/test/**/*.test.ts",
      // With `@azure/data-tables`, against one server and against three.
      "packages/server/test/{*,{http,paging,queues}/*}.service.test.ts",
    ],
    exclude: [
      "packages/{core,maintenance,queues,workflows,files}/**/*.{service,cloud}.test.ts",
      // They look at the rows that our engines read from bytes.
      "**/{copies-as-bytes,label-reader.law}.test.ts",
    ],
    env: { PARTITA_OVER_POSTGRES: "1" },
    ...fixedSeed,
  },
);

/** The hostile inputs again where prototypes cannot be reached by name and no code is made of text. */
const hardened = project(
  "platforms",
  { ...testing, name: "hostile (hardened)" },
  {
    include: ["packages/{server,testing}/test/hostile/**/*.test.ts"],
    ...fixedSeed,
    pool: "forks",
    execArgv: ["--disable-proto=throw", "--disallow-code-generation-from-strings"],
  },
);

/** The packages with other compilers, in bundles, and packed. */
const toolchains = project(
  "platforms",
  // They load the packages as they are published.
  { name: "toolchains", folder: "tools/toolchains", config: { ssr: {}, test: ofBundles } },
  { ...fixedSeed, include: ["tools/toolchains/test/**/*.test.ts"] },
);

/** The suites and probes against real accounts. */
const accounts = project(
  "cloud",
  { name: "accounts", folder: "tools/cloud" },
  { ...fixedSeed, include: ["tools/cloud/test/*.cloud.test.ts"] },
);

/** The tests that must catch a bug, as a project that has the bug. */
function withBug(bug: Bug, projects: readonly Config[]): Config {
  const { project: name, files, env = {} } = bug.caughtBy;
  const own = projects.find(({ test }) => test?.name === name);
  const setupFiles = [own?.test?.setupFiles ?? [], "tools/planted-bugs/src/end-on-failure.ts"].flat();
  return {
    ...own,
    plugins: [...(own?.plugins ?? []), plantedBug(bug)],
    test: {
      ...own?.test,
      ...(env["PARTITA_LOOPS"] !== undefined && noCompiledText),
      name: bug.name,
      include: [...files],
      env: { PARTITA_FULL: "1", ...env },
      maxWorkers: 1,
      // A second try would pass: tests after the first failure are skipped.
      retry: 0,
      setupFiles,
    },
  };
}

const projects = [
  ...[
    core,
    legacyDecorators,
    standardDecorators,
    account,
    queues,
    postgres,
    maintenance,
    patterns,
    jsonSchema,
    transfer,
    pageBlobs,
    eslintPlugin,
    server,
    testing,
    workflows,
    files,
    openTelemetry,
    studio,
    cli,
    examples,
    plantedBugs,
    bench,
    words,
    site,
    cloud,
    workspace,
  ].flatMap(tiersOf),
  wrapped,
  hardened,
  overPostgres,
  toolchains,
  ...(hasAccounts ? [accounts] : []),
];

export default defineConfig({
  test: {
    projects: bugs === undefined ? projects : bugsNamed(bugs).map((bug) => withBug(bug, projects)),
    coverage: { provider: "v8", include: ["packages/*/src/**"] },
  },
});
