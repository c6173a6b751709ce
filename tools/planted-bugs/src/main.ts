// pnpm planted-bugs [words]: plants one bug after another, runs the tests that must catch it, and prints
// which were caught. Bugs are planted in the loaded code, never in the files.
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
const reporter = join(import.meta.dirname, "reporter.ts");
/**
 * Bugs per process. Each bug is a project there, because starting Vitest takes longer than catching one bug.
 */
const groupSize = 16;
/** A longer run has an endless loop. */
const maxMs = 600_000;

/** Runs the tests of several bugs. @returns their reports, without those that an endless loop prevented */
async function runTests(group: readonly Bug[], results: string): Promise<Report[]> {
  const names = group.map(({ name }) => name).join("\n");
  const child = spawn("vitest", ["run", "--maxWorkers=1", `--reporter=${reporter}`], {
    cwd: workspace,
    stdio: "ignore",
    env: { ...process.env, PARTITA_BUGS: names, PARTITA_REPORT: results },
    timeout: maxMs,
  });
  await once(child, "close");
  return readReports(results);
}

async function readReports(results: string): Promise<Report[]> {
  try {
    const lines = (await readFile(results, "utf8")).trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Report);
  } catch {
    return [];
  }
}

/**
 * Runs the tests of several bugs, and again separately each bug without a report.
 *
 * @returns the number of missed bugs
 */
async function tryBugs(group: readonly Bug[]): Promise<number> {
  const reports = await runTests(group, join(folder, `${started++}.jsonl`));
  const reportsOf = ({ name }: Bug): Report[] => reports.filter(({ bug }) => bug === name);
  const [silent, others] = [
    group.filter((bug) => group.length > 1 && reportsOf(bug).length === 0),
    group.filter((bug) => group.length === 1 || reportsOf(bug).length > 0),
  ];
  let missed = others.filter((bug) => !isCaught(bug, reportsOf(bug))).length;
  for (const bug of silent) missed += await tryBugs([bug]);
  return missed;
}

function isCaught({ name }: Bug, reports: readonly Report[]): boolean {
  const { isCaught: caught, text } = outcomeOf(reports);
  const seconds = reports.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  console.log(`${text.padEnd(28)}${seconds.toFixed(1).padStart(6)} s  ${name}`);
  return caught;
}

const words = process.argv[2] ?? "";
const chosen = bugs.filter(({ name }) => name.includes(words));
if (chosen.length === 0) throw new Error(`No bug has "${words}" in its name.`);
// Locates all bugs first, to report an outdated description immediately.
const sources = readSources();
for (const bug of chosen) plant(bug, sources);

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const waiting = [...chosen];
let started = 0;
let missed = 0;
async function work(): Promise<void> {
  for (let group = waiting.splice(0, groupSize); group.length > 0; group = waiting.splice(0, groupSize)) {
    const missing = await tryBugs(group);
    missed += missing;
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(
  missed === 0 ? `\nAll ${chosen.length} planted bugs were caught.` : `\n${missed} of them were missed.`,
);
process.exitCode = missed === 0 ? 0 : 1;
