import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage, type TableStorage } from "@partita/core";
import { startTableServer, type TableServer } from "@partita/testing";
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
