import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const main = join(import.meta.dirname, "../dist/main.js");
const model = join(import.meta.dirname, "../dist/model.js");
const partita = join(import.meta.dirname, "../../../packages/cli/dist/main.js");
const run = (...args: string[]) => spawnSync(process.execPath, args, { encoding: "utf8" });

test("four releases share a table, and all stay right", () => {
  const { stdout, stderr, status } = run(main);

  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout).toMatch(/Rows by version: 2: 2, none: 3/);
  expect(stdout).toMatch(/Post 5: Ann, 6 characters/);
  expect(stdout).toMatch(/By anonymous: 3 .* on the client Author eq 'anonymous'/);
  expect(stdout).toMatch(/Saved by replace; rows by version: 2: 3, none: 2/);
  expect(stdout).toMatch(/The second release reads the length 14/);
  expect(stdout).toMatch(/The third release reads 15 characters by Bo/);
  expect(stdout).toMatch(/The second release may not write: entity\.newer-version/);
  expect(stdout).toMatch(/Clean: true · rows by version: 3: 6/);
});

test("partita census and partita upgrade work on the compiled model", async () => {
  const folder = await mkdtemp(join(tmpdir(), "partita-upgrades-"));
  const storage = `file:${join(folder, "blogs.db")}`;
  run(main, storage);

  const counted = run(partita, "census", model, storage);
  const dry = run(partita, "upgrade", model, storage, "--dry-run");
  const upgraded = run(partita, "upgrade", model, storage, "--rate", "1000");
  const misused = [
    run(partita, "upgrade", model),
    run(partita, "upgrade", model, storage, "--rate", "x"),
    run(partita, "census", model, `${storage}.misspelt`),
  ];

  expect(counted.stdout).toMatch(/6 {2}version 3\n {14}6 with Author String, Characters Int32/);
  expect(dry.stdout).toMatch(/0 rows would be upgraded/);
  expect(upgraded.stdout).toMatch(/Blogs: after\n {11}6  version 3/);
  expect(upgraded.stdout).toMatch(/Blogs is clean/);
  expect([counted, dry, upgraded, ...misused].map(({ status }) => status)).toEqual([0, 0, 0, 2, 2, 2]);
  expect(misused.map(({ stderr }) => stderr.trim())).toEqual([
    expect.stringMatching(/missing required argument 'storage'/),
    "--rate takes a whole number, 1 or more.",
    expect.stringMatching(/There is no .*misspelt/),
  ]);
  expect(existsSync(join(folder, "blogs.db.misspelt"))).toBe(false);
  await rm(folder, { recursive: true, force: true });
});
