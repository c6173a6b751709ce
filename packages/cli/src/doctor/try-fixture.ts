import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { findPackage } from "../modules/find-package.ts";
import { makeTemporaryFolder } from "../disk/temporary.ts";
import { type CompilerOptions, isMixed, type Trial } from "./diagnose.ts";
import { decoratedFixture, expectedOutput, plainFixture } from "./fixture.ts";

/** A trial, and whether the fixture ran as expected. */
export interface TriedFixture extends Trial {
  readonly isFine: boolean;
}

/** Options about the output location, which the trial sets itself. */
const neutral = {
  noEmit: false,
  emitDeclarationOnly: false,
  allowImportingTsExtensions: false,
  composite: false,
  incremental: false,
  declaration: false,
  declarationMap: false,
  isolatedDeclarations: false,
  noEmitOnError: false,
  sourceMap: false,
  outDir: "./out",
  rootDir: ".",
};

/** Compiles the fixture with a project's own compiler and options, in a temporary folder, and runs it. */
export function tryFixture(tsconfig: string): TriedFixture {
  const tsc = compilerOf(tsconfig);
  // Inside the project, to resolve the project's packages.
  const parent = join(dirname(tsconfig), "node_modules");
  mkdirSync(parent, { recursive: true });
  const folder = makeTemporaryFolder(parent);
  try {
    return tryIn(folder, tsc, tsconfig);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tryIn(folder: string, tsc: string, tsconfig: string): TriedFixture {
  // The trial lists its own files, because a project may have none yet.
  const config = { extends: tsconfig, files: ["fixture.ts"], include: [], references: [] };
  const write = (name: string, content: object): void =>
    writeFileSync(join(folder, name), JSON.stringify(content));
  const isInstalled = (name: string): boolean => findPackage(name, dirname(tsconfig)) !== undefined;
  const hasDecorators = isInstalled("@partita/decorators");
  writeFileSync(join(folder, "fixture.ts"), hasDecorators ? decoratedFixture : plainFixture);
  write("asked.json", config);
  write("tsconfig.json", { ...config, compilerOptions: neutral });
  const options = readOptions(tsc, join(folder, "asked.json"), tsconfig);
  const moduleType = moduleTypeFor(options, tsconfig);
  write("package.json", { type: moduleType });
  const compiled = node([tsc, "-p", folder, "--pretty", "false"], folder);
  const ran = node([join(folder, "out/fixture.js")], folder);
  return {
    options,
    moduleType,
    hasDecorators,
    missing: ["@partita/core"].filter((name) => !isInstalled(name)),
    compilerOutput: compiled.stdout + compiled.stderr,
    runError: ran.status === 0 ? undefined : ran.stderr,
    // Compilers ignore mixed modules in node_modules, where the fixture is.
    isFine:
      !isMixed({ options, moduleType }) && compiled.status === 0 && ran.stdout.trim() === expectedOutput,
  };
}

/** The type of `.js` files: from the project's package.json, or ES modules if a bundler processes them. */
function moduleTypeFor({ module = "" }: CompilerOptions, tsconfig: string): "module" | "commonjs" {
  if (/^(?:es|preserve)/i.test(module)) return "module";
  const manifest = nearestManifest(dirname(tsconfig));
  return manifest?.type === "module" ? "module" : "commonjs";
}

function nearestManifest(folder: string): { readonly type?: string } | undefined {
  const file = join(folder, "package.json");
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as { readonly type?: string };
  return dirname(folder) === folder ? undefined : nearestManifest(dirname(folder));
}

/** The project's own TypeScript. @throws Error if it has none */
function compilerOf(tsconfig: string): string {
  try {
    const manifest = createRequire(tsconfig).resolve("typescript/package.json");
    return join(dirname(manifest), "bin/tsc");
  } catch {
    throw new Error(
      `No TypeScript was found from ${tsconfig}. Install it in the project: npm install --save-dev typescript`,
    );
  }
}

function readOptions(tsc: string, shown: string, tsconfig: string): CompilerOptions {
  const { stdout, stderr, status } = node([tsc, "--showConfig", "-p", shown], dirname(tsconfig));
  try {
    return (JSON.parse(stdout) as { compilerOptions?: CompilerOptions }).compilerOptions ?? {};
  } catch {
    throw new Error(
      `${tsconfig} cannot be read (tsc ended with ${status}): ${(stdout + stderr).trim().slice(0, 500)}`,
    );
  }
}

/** The projects that a configuration without files refers to. */
export function referredProjects(tsconfig: string): string[] {
  const { stdout } = node([compilerOf(tsconfig), "--showConfig", "-p", tsconfig], dirname(tsconfig));
  try {
    const { files = [], references = [] } = JSON.parse(stdout) as {
      readonly files?: readonly string[];
      readonly references?: readonly { readonly path: string }[];
    };
    return files.length === 0 ? references.map(({ path }) => path) : [];
  } catch {
    // A configuration without files cannot be shown, and it refers to nothing either.
    return [];
  }
}

function node(
  args: readonly string[],
  cwd: string,
): { readonly stdout: string; readonly stderr: string; readonly status: number | null } {
  return spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
}
