import { spawnSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isLong } from "@partita/test-support/effort";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// What must and must not compile of decorated classes, by every TypeScript that people have.

const folder = join(import.meta.dirname, "../../../packages/decorators/test/temp-versions");
beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true, force: true }));

const language = {
  target: "ES2022",
  lib: ["ES2023", "ESNext.Disposable"],
  types: ["node"],
  module: "NodeNext",
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
};

async function compile(version: string, name: string, options: object, files: string[]): Promise<string> {
  const config = join(folder, `${version}-${name}.json`);
  await writeFile(config, JSON.stringify({ compilerOptions: { ...language, ...options }, files }));
  const compiler = createRequire(import.meta.url).resolve(`typescript-${version}/package.json`);
  const tsc = join(dirname(compiler), "bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" });
  return `${stdout}exit ${status}`;
}

const all = ["../types/decorators.test-d.ts", "../types/optional.test-d.ts"];

const dialects = [
  ["legacy", true],
  ["standard", false],
] as const;

// The oldest and the newest in every run; those in between in the long form.
const versions = isLong ? ["5.4", "5.9", "6.0", "7.0"] : ["5.4", "7.0"];

describe.each(versions)("TypeScript %s", (version) => {
  describe.each(dialects)("%s decorators", (dialect, experimentalDecorators) => {
    test.each([true, false])("refuse wrong classes, exactOptionalPropertyTypes: %s", async (exact) => {
      const options = { strict: true, experimentalDecorators, exactOptionalPropertyTypes: exact };

      expect(await compile(version, `${dialect}-${exact}`, options, all)).toBe("exit 0");
    });
  });
});

test.each(dialects)("%s decorators accept right classes without strict", async (dialect, experimental) => {
  const options = { strict: false, experimentalDecorators: experimental };

  const output = await compile("7.0", `${dialect}-loose`, options, ["../types/agreeing.ts"]);

  expect(output).toBe("exit 0");
});
