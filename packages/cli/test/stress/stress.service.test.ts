import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openStorage } from "@partita/core";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import type { StressFigures } from "@partita/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main, published } from "../published.ts";

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const run = (program: string, args: readonly string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });

/** A module with these definitions, of a class Blog. */
async function moduleOf(name: string, definitions: string): Promise<string> {
  const file = folder.file(name);
  await writeFile(
    file,
    `import { defineEntity, text } from ${JSON.stringify(published("core"))};
    import { defineStress } from ${JSON.stringify(published("testing"))};
    const channel = "Football";
    class Blog extends defineEntity({
      table: "Blogs", partitionKey: { channel: text() }, rowKey: { id: text() }, properties: {},
    }) {}
    const write = { share: 1, run: (context, n) => void context.create(Blog, { channel, id: String(n) }) };
    ${definitions}`,
  );
  return file;
}

describe("partita stress", () => {
  test("against a server that is limited to 500 entities a second finds 500 ± 10 %", async () => {
    const [json, svg] = [folder.file("found.json"), folder.file("found.svg")];
    const process = join(import.meta.dirname, "stress-process.ts");
    const { stdout, stderr, status } = run(process, ["--target", "450", "--json", json, "--svg", svg]);

    expect(stderr).toBe("");
    const figures = JSON.parse(await readFile(json, "utf8")) as StressFigures;
    for (const found of [figures.sustained, figures.servedThere, figures.mostServed]) {
      expect(found).toBeGreaterThanOrEqual(450);
      expect(found).toBeLessThanOrEqual(550);
    }
    expect(figures).toMatchObject({ target: 450, isMet: true });
    expect(stdout).toMatch(/^football \(Blog\): step 1 of 11, 200 entities\/s: served (\d+) of \1, p99 /);
    expect(stdout).toMatch(/Partition "Football" of Blog, in http:\/\/127\.0\.0\.1/);
    expect(stdout).toMatch(/The target of 450 is met\.\n/);
    expect(await readFile(svg, "utf8")).toMatch(/^<svg /);
    expect(status).toBe(0);
  });

  test("ends with 1 when a target is missed, names files by their tests, and leaves no table", async () => {
    const module = await moduleOf(
      "several.mjs",
      `const slow = { share: 1, async run(context, n) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        context.create(Blog, { channel, id: String(n) });
      } };
      const common = { partition: { channel }, seconds: 1, rate: { from: 1, to: 100, steps: 2 } };
      export const fails = defineStress(Blog, { ...common, load: [slow], concurrency: 1, target: 100 });
      export const measured = defineStress(Blog, { ...common, load: [write] });
      export const other = 1;`,
    );
    const file = folder.file("several.db");
    const json = folder.file("several.json");
    const { stdout, status } = run(main, ["stress", module, "--storage", `file:${file}`, "--json", json]);

    expect(stdout).toMatch(/The target of 100 is missed: choose a PartitionKey that distributes/);
    expect(stdout).toMatch(/This storage runs on this machine/);
    expect(status).toBe(1);
    expect(JSON.parse(await readFile(folder.file("several-fails.json"), "utf8"))).toMatchObject({
      isMet: false,
    });
    expect(JSON.parse(await readFile(folder.file("several-measured.json"), "utf8"))).toMatchObject({
      storage: `file:${file}`,
    });
    await using storage = await openStorage(`file:${file}`);
    expect(await storage.listTables()).toEqual([]);
  });

  test("that is stopped removes its tables, and ends with 130", async () => {
    const module = await moduleOf(
      "long.mjs",
      "export const long = defineStress(Blog, { partition: { channel }, seconds: 100000, load: [write] });",
    );
    const file = folder.file("long.db");
    const child = spawn(process.execPath, [main, "stress", module, "--storage", `file:${file}`], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = once(child, "exit");
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    await using storage = await openStorage(`file:${file}`);
    // The table is there before the first step begins.
    while ((await storage.listTables()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill("SIGINT");

    expect(await ended).toEqual([130, null]);
    expect(stdout).toBe("");
    expect(stderr).toBe("Stopped. The test's tables were deleted.\n");
    expect(await storage.listTables()).toEqual([]);
  });

  test("refuses what it cannot run with a sentence", async () => {
    const empty = await moduleOf("empty.mjs", "export const nothing = 1;");
    const one = await moduleOf(
      "one.mjs",
      "export const one = defineStress(Blog, { partition: { channel }, load: [write] });",
    );

    for (const [args, code, message] of [
      [["none.js", "--storage", "memory:"], 2, /^There is no none\.js\./],
      [[empty, "--storage", "memory:"], 1, /exports no stress test\. Export one: export const football/],
      [[one, "--storage", "memory:", "--target", "9000"], 2, /\{ target \}.*100 to 4000/],
      [[one], 2, /required option '--storage <storage>'/],
    ] as const) {
      const { stderr, stdout, status } = run(main, ["stress", ...args]);
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/\n\s+at /);
      expect([stdout, status]).toEqual(["", code]);
    }
  });
});
