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

/** The requests that the warning counts for each marked line of the fixture. */
async function requestsByMark(file: string): Promise<Record<string, number>> {
  const args = ["--enable-source-maps", file];
  const { stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  expect(stderr).toMatch(/PARTITA_REQUEST_BUDGET.*budget of 5 request\(s\)/);
  const lines = (await readFile(fixture, "utf8")).split("\n");
  const counts = stderr.matchAll(/(\d+) from [^;]*busy\.ts:(\d+):/g);
  return Object.fromEntries(
    Array.from(counts, ([, count, line]) => {
      const mark = /\/\/ named: (\w+)/.exec(lines[Number(line) - 1] ?? "")?.[1];
      return [mark ?? `line ${line}`, Number(count)];
    }),
  );
}

const byCaller = { find: 3, loop: 1, first: 2 };

test("a request budget names the caller's lines when nothing is bundled", async () => {
  const outfile = join(temp, "apart.mjs");
  await esbuild({ entryPoints: [fixture], outfile, format: "esm", target: "es2023", sourcemap: true });

  expect(await requestsByMark(outfile)).toEqual(byCaller);
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
    ...language,
  });

  expect(await requestsByMark(outfile)).toEqual(byCaller);
});

test("a request budget names the caller's lines in a bundle that Vite made small", async () => {
  await vite({
    root,
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true },
    build: {
      ssr: fixture,
      outDir: temp,
      emptyOutDir: false,
      target: "es2023",
      minify: true,
      sourcemap: true,
    },
  });

  expect(await requestsByMark(join(temp, "busy.js"))).toEqual(byCaller);
});
