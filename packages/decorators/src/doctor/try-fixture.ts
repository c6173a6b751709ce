import { spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { CompilerOptions, Trial } from "./diagnose.ts";
import { expectedOutput, fixture } from "./fixture.ts";

/** A trial, and whether the fixture did what it should. */
export interface TriedFixture extends Trial {
  readonly isFine: boolean;
}

/** Options that concern where and whether output goes, which the trial sets itself. */
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

/** Compiles the fixture with a project's own compiler and options, in a folder that is removed again, and runs it. */
export function tryFixture(tsconfig: string): TriedFixture {
  const tsc = compilerOf(tsconfig);
  const options = readOptions(tsc, tsconfig);
  // Below the project, so that it finds the project's packages.
  const parent = join(dirname(tsconfig), "node_modules");
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, ".partita-doctor-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "fixture.ts"), fixture);
    const config = {
      extends: tsconfig,
      compilerOptions: neutral,
      files: ["fixture.ts"],
      include: [],
      references: [],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compiled = node([tsc, "-p", folder, "--pretty", "false"], folder);
    const ran = node([join(folder, "out/fixture.js")], folder);
    const isFine = compiled.status === 0 && ran.stdout.trim() === expectedOutput;
    return {
      options,
      compilerOutput: compiled.stdout + compiled.stderr,
      runError: ran.status === 0 ? undefined : ran.stderr,
      isFine,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The project's own TypeScript. @throws Error when it has none */
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

function readOptions(tsc: string, tsconfig: string): CompilerOptions {
  const { stdout, stderr, status } = node([tsc, "--showConfig", "-p", tsconfig], dirname(tsconfig));
  try {
    return (JSON.parse(stdout) as { compilerOptions?: CompilerOptions }).compilerOptions ?? {};
  } catch {
    throw new Error(
      `${tsconfig} cannot be read (tsc ended with ${status}): ${(stdout + stderr).trim().slice(0, 500)}`,
    );
  }
}

function node(
  args: readonly string[],
  cwd: string,
): { readonly stdout: string; readonly stderr: string; readonly status: number | null } {
  return spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
}
