import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { transform as swc } from "@swc/core";
import { build as esbuild } from "esbuild";
import swcPlugin from "unplugin-swc";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build as vite } from "vite";

const root = join(import.meta.dirname, "..");
const fixture = join(root, "fixture");
const temp = join(root, "temp");
beforeAll(() => mkdir(temp, { recursive: true }));
afterAll(() => rm(temp, { recursive: true, force: true }));

type Dialect = "legacy" | "standard";
const external = ["@partita/core", "@partita/decorators", "reflect-metadata"];

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  expect(
    stderr,
    `${command} ${args.join(" ")}
${stdout.slice(0, 500)}`,
  ).toBe("");
  expect(status).toBe(0);
  return stdout.trim();
}

const node = (...args: string[]): string => run(process.execPath, args);

async function outputFolder(name: string): Promise<string> {
  const folder = join(temp, name);
  await mkdir(folder, { recursive: true });
  return folder;
}

const toolchains: Record<string, (dialect: Dialect) => Promise<string>> = {
  async "tsc 7"(dialect) {
    const folder = await outputFolder(`tsc-${dialect}`);
    const flags = dialect === "legacy" ? ["--experimentalDecorators", "--emitDecoratorMetadata"] : [];
    const language = [
      "--target",
      "es2023",
      "--module",
      "nodenext",
      "--strict",
      "--skipLibCheck",
      "--types",
      "node",
      "--lib",
      "es2023,esnext.disposable",
    ];
    run("tsc", [
      join(fixture, "decorated.ts"),
      "--ignoreConfig",
      "--rewriteRelativeImportExtensions",
      "--outDir",
      folder,
      ...language,
      ...flags,
    ]);
    return node(join(folder, "decorated.js"));
  },
  async esbuild(dialect) {
    const outfile = join(await outputFolder(`esbuild-${dialect}`), "out.mjs");
    await esbuild({
      entryPoints: [join(fixture, "decorated.ts")],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "es2023",
      external,
      tsconfigRaw: { compilerOptions: { experimentalDecorators: dialect === "legacy" } },
    });
    return node(outfile);
  },
  async tsx(dialect) {
    const config = join(await outputFolder(`tsx-${dialect}`), "tsconfig.json");
    await writeFile(
      config,
      JSON.stringify({ compilerOptions: { experimentalDecorators: dialect === "legacy", target: "es2023" } }),
    );
    const cli = createRequire(import.meta.url).resolve("tsx/cli");
    return node(cli, "--tsconfig", config, join(fixture, "decorated.ts"));
  },
  async SWC(dialect) {
    const folder = await outputFolder(`swc-${dialect}`);
    for (const file of ["decorated", "print-models"]) {
      const { code } = await swc(await readFile(join(fixture, `${file}.ts`), "utf8"), {
        jsc: {
          target: "es2022",
          parser: { syntax: "typescript", decorators: true },
          transform:
            dialect === "legacy"
              ? { legacyDecorator: true, decoratorMetadata: true }
              : { decoratorVersion: "2022-03" },
        },
      });
      await writeFile(
        join(folder, `${file}.mjs`),
        code.replaceAll("./print-models.ts", "./print-models.mjs"),
      );
    }
    return node(join(folder, "decorated.mjs"));
  },
  async "Vite 8"(dialect) {
    const folder = await outputFolder(`vite-${dialect}`);
    const standard = swcPlugin.vite({
      jsc: {
        target: "es2023",
        parser: { syntax: "typescript", decorators: true },
        transform: { decoratorVersion: "2022-03" },
      },
    });
    await vite({
      root,
      configFile: false,
      logLevel: "error",
      build: { ssr: join(fixture, "decorated.ts"), outDir: folder, emptyOutDir: false, target: "es2023" },
      ...(dialect === "legacy"
        ? { oxc: { decorator: { legacy: true } } }
        : { oxc: false as const, plugins: [standard] }),
    });
    return node(join(folder, "decorated.js"));
  },
};

/** The models of the classes without decorators, run by Node as they are. */
const expected = (): unknown => JSON.parse(node(join(fixture, "plain.ts")));

describe.each(Object.keys(toolchains))("%s", (name) => {
  test.each<Dialect>(["legacy", "standard"])(
    "builds the same frozen models from %s decorators",
    async (dialect) => {
      const output = await toolchains[name]?.(dialect);

      expect(JSON.parse(output ?? "")).toEqual(expected());
    },
  );
});
