import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage, type TableStorage } from "@partita/core";
import { startTableServer, type TableServer } from "@partita/server";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundlers } from "../src/bundlers.ts";
import { type PackedProject, unpackedProject } from "../src/packed-project.ts";
import { run } from "../src/run.ts";
import { expectedOutput } from "../src/try-runtime.ts";

// A program of a user, made of the packed packages, in one folder with nothing else.

let project: PackedProject;
let storage: TableStorage;
let server: TableServer;
let output: string;

beforeAll(async () => {
  project = await unpackedProject();
  storage = await openStorage("memory:");
  server = await startTableServer({ storage });
  // Not below the project: a bundle must not find the packages.
  output = await mkdtemp(join(await realpath(tmpdir()), "partita-bundles-"));
});
afterAll(async () => {
  await server.close();
  await storage.close();
  await rm(output, { recursive: true, force: true });
  await project[Symbol.asyncDispose]();
});

describe.each(bundlers.map((bundler) => [`${bundler.name}, ${bundler.format}`, bundler] as const))(
  "a program bundled by %s",
  (name, bundler) => {
    let bundle: string;
    beforeAll(async () => {
      const folder = await mkdtemp(join(output, "bundle-"));
      bundle = await bundler.bundle(join(project.folder, "round-trip.mjs"), folder);
    });

    test("loads no SQLite when it starts", async () => {
      expect(await readFile(bundle, "utf8")).not.toMatch(/(?:from |require\()"node:sqlite"/);
    });

    test("does not hold undici", async () => {
      expect(await readFile(bundle, "utf8")).not.toContain("EnvHttpProxyAgent");
    });

    test.each(["a store in memory", "a table service"])("saves to and queries %s", async (store) => {
      const target = store === "a table service" ? server.connectionString : "memory:";
      const prefix = name.replaceAll(/\W/g, "");

      const { stdout, stderr, status } = await run(process.execPath, [bundle, target, prefix]);

      expect(stdout).toBe(expectedOutput);
      expect(stderr).toMatch(/PARTITA_REQUEST_BUDGET/);
      expect(status).toBe(0);
    });
  },
);

test("an ES module that esbuild splits, with a require of its own, reaches a table service", async () => {
  const folder = await mkdtemp(join(output, "split-"));
  await build({
    entryPoints: [join(project.folder, "round-trip.mjs")],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "node",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "error",
  });

  const { stdout, status } = await run(process.execPath, [
    join(folder, "round-trip.mjs"),
    server.connectionString,
    "split",
  ]);

  expect(stdout).toBe(expectedOutput);
  expect(status).toBe(0);
});

test.each<[string, "ESM" | "CommonJS", "project" | "elsewhere", string]>([
  ["uses undici that is installed next to it", "ESM", "project", "undici undici http"],
  ["uses undici that is installed next to it", "CommonJS", "project", "undici undici http"],
  ["uses node:http without undici", "ESM", "elsewhere", "http storage.transport http"],
  ["uses node:http without undici", "CommonJS", "elsewhere", "http storage.transport http"],
])("a bundle %s (%s, %s)", async (_what, format, place, expected) => {
  const parent = place === "project" ? project.folder : output;
  const folder = await mkdtemp(join(parent, "transports-"));
  const entry = join(project.folder, "transports.mjs");
  await writeFile(
    entry,
    `import { subscribe } from "node:diagnostics_channel";
    import { openStorage } from "@partita/core";
    let used;
    subscribe("undici:request:create", () => (used = "undici"));
    subscribe("http.client.request.start", () => (used = "http"));
    const use = async (transport) => {
      const storage = await openStorage(process.argv[2], { transport });
      await storage.listTables();
      await storage.close();
      return used;
    };
    const all = async () => {
      const found = [];
      for (const transport of [undefined, "undici", "http"])
        found.push(await use(transport).catch((error) => error.code));
      console.log(found.join(" "));
    };
    void all();`,
  );
  const bundler = bundlers.find((one) => one.name === "esbuild" && one.format === format);
  const bundle = (await bundler?.bundle(entry, folder)) ?? "";

  const { stdout } = await run(process.execPath, [bundle, server.connectionString]);

  expect(stdout.trim()).toBe(expected);
});
