// pnpm planted-bugs [words]: plants one bug after another, runs the tests that must catch it, and prints which were caught.
// Bugs are planted in what the tests load, never in the files.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Bug } from "./bug.ts";
import { bugs } from "./bugs/index.ts";
import { plant } from "./plant.ts";
import { readSources, workspace } from "./sources.ts";
import { type Report, outcomeOf } from "./verdict.ts";

const folder = join(workspace, "temp/planted-bugs");
/** A run that takes longer has met an endless loop. */
const maxMs = 600_000;

async function runTests({ name, caughtBy: { project, files, env } }: Bug, results: string): Promise<void> {
  const options = ["--reporter=json", `--outputFile.json=${results}`];
  const child = spawn("vitest", ["run", "--project", project, ...options, ...files], {
    cwd: workspace,
    stdio: "ignore",
    env: { ...process.env, ...env, PARTITA_BUG: name },
    timeout: maxMs,
  });
  await once(child, "close");
}

async function reportOf(results: string): Promise<Report | undefined> {
  try {
    return JSON.parse(await readFile(results, "utf8")) as Report;
  } catch {
    return undefined;
  }
}

async function isCaught(bug: Bug): Promise<boolean> {
  const results = join(folder, `${bugs.indexOf(bug)}.json`);
  const began = performance.now();
  await runTests(bug, results);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const { isCaught: caught, text } = outcomeOf(await reportOf(results));
  console.log(`${text.padEnd(28)}${seconds.padStart(5)} s  ${bug.name}`);
  return caught;
}

const words = process.argv[2] ?? "";
const chosen = bugs.filter(({ name }) => name.includes(words));
if (chosen.length === 0) throw new Error(`No bug has "${words}" in its name.`);
// All places first: a description that fits no longer is reported at once.
const sources = readSources();
for (const bug of chosen) plant(bug, sources);

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const waiting = [...chosen];
let missed = 0;
async function work(): Promise<void> {
  for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift())
    if (!(await isCaught(bug))) missed++;
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(
  missed === 0 ? `\nAll ${chosen.length} planted bugs were caught.` : `\n${missed} of them were missed.`,
);
process.exitCode = missed === 0 ? 0 : 1;
