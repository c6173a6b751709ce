import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build as vite } from "vite";

const root = join(import.meta.dirname, "..");
const fixture = join(root, "fixture/busy.ts");
const temp = join(import.meta.dirname, "temp/call-sites");
beforeAll(() => mkdir(temp, { recursive: true }));
afterAll(() => rm(temp, { recursive: true, force: true }));

/** What the fixture's lines are marked with, by line. */
async function marks(): Promise<Record<string, number>> {
  const lines = (await readFile(fixture, "utf8")).split("\n");
  return Object.fromEntries(
    lines.flatMap((line, index) => {
      const mark = /\/\/ named: (\w+)/.exec(line)?.[1];
      return mark === undefined ? [] : [[mark, index + 1]];
    }),
  );
}

function warningOf(file: string): string {
  const args = ["--enable-source-maps", file];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  expect(status, stderr).toBe(0);
  return stderr;
}

async function expectLines(file: string): Promise<void> {
  const { find, loop, first } = await marks();
  const warning = warningOf(file);

  expect(warning).toMatch(/PARTITA_REQUEST_BUDGET.*budget of 5 request\(s\)/);
  expect(warning).toMatch(new RegExp(`3 from [^;]*busy\\.ts:${find}:`));
  expect(warning).toMatch(new RegExp(`1 from [^;]*busy\\.ts:${loop}:`));
  expect(warning).toMatch(new RegExp(`2 from [^;]*busy\\.ts:${first}:`));
}

const external = ["undici", "fast-xml-parser"];

test("a request budget names the caller's lines when nothing is bundled", async () => {
  const outfile = join(temp, "apart.mjs");
  await esbuild({ entryPoints: [fixture], outfile, format: "esm", target: "es2023", sourcemap: true });

  await expectLines(outfile);
});

test("a request budget names the caller's lines in a bundle that esbuild made small", async () => {
  const outfile = join(temp, "esbuild.mjs");
  const language = { format: "esm", platform: "node", target: "es2023" } as const;
  await esbuild({
    entryPoints: [fixture],
    outfile,
    bundle: true,
    minify: true,
    sourcemap: true,
    external,
    ...language,
  });

  await expectLines(outfile);
});

test("a request budget names the caller's lines in a bundle that Vite made small", async () => {
  await vite({
    root,
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true, external },
    build: {
      ssr: fixture,
      outDir: temp,
      emptyOutDir: false,
      target: "es2023",
      minify: true,
      sourcemap: true,
    },
  });

  await expectLines(join(temp, "busy.js"));
});
