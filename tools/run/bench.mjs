// pnpm bench [name ...] [--check] [--json file]: compiles the packages, then runs each benchmark in a process of its own.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArguments } from "../bench/src/run/arguments.ts";
import { describeFigure, figuresOf } from "../bench/src/run/figures.ts";
import { writeResults } from "../bench/src/run/results-file.ts";
import { bundlePackages } from "./bundle-packages.mjs";
import { run, say } from "./step.mjs";

const known = readdirSync("tools/bench/src")
  .filter((file) => file.endsWith(".bench.ts"))
  .map((file) => file.replace(".bench.ts", ""));
const { benchmarks, isChecked, json } = argumentsOrEnd();

say("Compiling packages and examples …");
run("tsc", ["-b"]);
await bundlePackages();

const folder = mkdtempSync(join(tmpdir(), "partita-bench-"));
process.env.PARTITA_BENCH_LINES = join(folder, "lines.jsonl");
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const name of benchmarks) {
  say(`Benchmark ${name}`);
  // From the sources: some benchmarks measure parts that the packages do not let out. A million entities need a heap.
  const flags = ["--expose-gc", "--conditions=@partita/source", "--max-old-space-size=8000"];
  run("node", [...flags, `tools/bench/src/${name}.bench.ts`]);
}

const lines = readLines();
if (json !== undefined) {
  writeResults(json, lines, benchmarks);
  say(`Wrote ${json}.`);
}
const figures = figuresOf(lines);
list(
  "Figures to reach:",
  figures.filter(({ goal }) => goal !== undefined),
);
if (isChecked) check();

function argumentsOrEnd() {
  try {
    return parseArguments(process.argv.slice(2), known);
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

function readLines() {
  try {
    const text = readFileSync(process.env.PARTITA_BENCH_LINES, "utf8");
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

function check() {
  const short = figures.filter(({ fallsShort }) => fallsShort);
  if (short.length === 0)
    say(`All ${figures.length} figures meet their targets, or miss them by at most 15 %.`);
  else {
    list(`${short.length} of ${figures.length} figures miss their targets by more than 15 %:`, short);
    process.exitCode = 1;
  }
}

function list(heading, chosen) {
  if (chosen.length === 0) return;
  say(heading);
  for (const figure of chosen) console.log(describeFigure(figure));
}
