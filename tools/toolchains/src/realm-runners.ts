import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { run } from "./run.ts";

// Test runners that run each file in its own context, with its own Date, Error and Uint8Array classes.

const suites = join(import.meta.dirname, "../fixture/realms");
const { resolve } = createRequire(import.meta.url);

/** A runner's report of its suites. */
interface Suites {
  readonly numPassedTests: number;
  readonly numPendingTests: number;
  readonly failures: readonly string[];
}

export interface RealmRunner {
  readonly name: string;
  /** Runs all suites, with its own files in an empty folder. */
  readonly runSuites: (folder: string) => Promise<Suites>;
}

export const realmRunners: readonly RealmRunner[] = [
  jest("ts-jest, legacy decorators", tsJest(true)),
  jest("ts-jest, standard decorators", tsJest(false)),
  jest("@swc/jest, legacy decorators", ["@swc/jest", swc(true)]),
  jest("@swc/jest, standard decorators", ["@swc/jest", swc(false)]),
  vitest("vmThreads", "legacy decorators", "{ oxc: { decorator: { legacy: true } } }"),
  vitest(
    "vmForks",
    "standard decorators",
    `{ oxc: false, plugins: [swc.vite(${JSON.stringify(swc(false))})] }`,
  ),
];

function tsJest(experimentalDecorators: boolean): readonly [name: string, options: object] {
  const tsconfig = {
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    esModuleInterop: true,
    isolatedModules: true,
    experimentalDecorators,
  };
  return ["ts-jest", { useESM: true, diagnostics: false, tsconfig }];
}

function swc(legacyDecorator: boolean): object {
  const transform = legacyDecorator ? { legacyDecorator } : { decoratorVersion: "2022-03" };
  return { jsc: { target: "es2022", parser: { syntax: "typescript", decorators: true }, transform } };
}

function jest(name: string, transform: readonly [name: string, options: object]): RealmRunner {
  return {
    name: `Jest, ${name}`,
    async runSuites(folder) {
      const config = {
        rootDir: suites,
        testEnvironment: "node",
        extensionsToTreatAsEsm: [".ts"],
        cacheDirectory: join(folder, "cache"),
        transform: { "\\.ts$": transform },
      };
      const program = ["--experimental-vm-modules", resolve("jest/bin/jest")];
      return report(folder, [...program, "--config", JSON.stringify(config), "--json", "--forceExit"]);
    },
  };
}

function vitest(pool: string, name: string, config: string): RealmRunner {
  return {
    name: `Vitest, ${pool}, ${name}`,
    async runSuites(folder) {
      const file = join(folder, "vitest.config.mjs");
      const plugin = `import swc from ${JSON.stringify(import.meta.resolve("unplugin-swc"))};`;
      await writeFile(file, `${plugin} export default ${config};`);
      const program = [join(import.meta.dirname, "../../../node_modules/vitest/vitest.mjs"), "run"];
      const options = ["--root", suites, "--pool", pool, "--globals", "--reporter=json"];
      return report(folder, [...program, "--config", file, ...options]);
    },
  };
}

/** Runs a runner, and reads its report. @throws Error with its output if there is no report */
async function report(folder: string, command: readonly string[]): Promise<Suites> {
  const file = join(folder, "report.json");
  const node = ["--disable-warning=ExperimentalWarning", ...command, `--outputFile=${file}`];
  const env = { ...process.env, PARTITA_REALM: folder, NODE_OPTIONS: undefined };
  const { stderr } = await run(process.execPath, node, join(suites, "../.."), env);
  const text = await readFile(file, "utf8").catch(() => {
    throw new Error(`There is no report:\n${stderr.slice(0, 2000)}`);
  });
  const { testResults, ...counts } = JSON.parse(text) as Report;
  const failures = testResults.flatMap(({ message, assertionResults }) => [
    ...(assertionResults.length === 0 ? [message] : []),
    ...assertionResults.flatMap((each) => (each.status === "failed" ? [each.failureMessages.join()] : [])),
  ]);
  return { ...counts, failures };
}

/** The report format of both runners. */
interface Report extends Omit<Suites, "failures"> {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}
