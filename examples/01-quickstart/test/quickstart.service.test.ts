import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const main = join(import.meta.dirname, "../dist/main.js");

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
});
afterEach(() => rm(folder, { recursive: true }));

function quickstart(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return stdout;
}

test("loads the largest cities and answers its questions", () => {
  const output = quickstart("--limit", "5000", "--storage", "memory:");

  expect(output).toMatch(/5,250 written, 0 were up to date/);
  expect(output).toMatch(/Entities per kind: 5,000 cities, 250 countries/);
  expect(output).toMatch(/Largest cities of BR: São Paulo \(10,021,295\), Rio de Janeiro/);
  expect(output).toMatch(/how: row range scan \(good\) · 1 partition/);
  expect(output).toMatch(/First context: merge of São Paulo committed/);
  expect(output).toMatch(/City in Places \("BR", .* was not saved: another writer changed it/);
  expect(output).toMatch(/Moved Reykjavík .*delete committed, insert committed, in one transaction/);
});

test("knows every city of Iceland, in pages of 10", () => {
  const output = quickstart("--storage", "memory:");

  expect(output).toMatch(/Entities per kind: 135,233 cities, 250 countries/);
  expect(output.match(/ {2}page \d: .*/g)?.map((line) => line.split(",").length)).toEqual([10, 10, 10, 3]);
  expect(output).toMatch(/32 cities of Iceland are left/);
});

test("killed in the middle of the load and started again, it ends with the same counts", async () => {
  const target = `file:${join(folder, "places.db")}`;
  const some = ["--limit", "20000"];
  for (const percent of [20, 60]) {
    const child = spawn(process.execPath, [main, ...some, "--storage", target], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const chunk of child.stdout.setEncoding("utf8"))
      if (String(chunk).includes(`${percent} %`)) break;
    child.kill("SIGKILL");
  }

  const first = quickstart(...some, "--storage", target);
  const second = quickstart(...some, "--storage", target);

  expect(first).toMatch(/20,250 entities .*; [\d,]+ written, [1-9][\d,]+ were up to date/);
  expect(first).toMatch(/Entities per kind: 20,000 cities, 250 countries/);
  // Its own four changes of the first run are undone: one corrected, one moved (two operations), one removed.
  expect(second).toMatch(/; 4 written, 20,246 were up to date/);
  expect(second).toMatch(/Entities per kind: 20,000 cities, 250 countries/);
});

test("says what is wrong with an argument", () => {
  const { status, stderr } = spawnSync(process.execPath, [main, "--limit", "many"], { encoding: "utf8" });

  expect(status).not.toBe(0);
  expect(stderr).toMatch(/--limit takes the number of cities/);
});
