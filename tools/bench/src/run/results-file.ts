import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, totalmem } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { ReportedGrowth, ReportedLine, ReportedRow } from "../report.ts";

/**
 * The output of `pnpm bench --json`. Each measurement has its date, because several runs may fill one file.
 */
export interface Results {
  readonly machine: Readonly<Record<string, string | number>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly rows: readonly (ReportedRow & Dated)[];
  readonly growth: readonly (ReportedGrowth & Dated)[];
}

interface Dated {
  /** ISO 8601, UTC. */
  readonly date: string;
}

/**
 * Writes measurements, and replaces those of earlier runs of the same benchmarks in the file.
 *
 * @param benchmarks - the names of those that ran
 */
export function writeResults(
  file: string,
  lines: readonly ReportedLine[],
  benchmarks: readonly string[],
  date: string = new Date().toISOString().slice(0, 10),
): void {
  const before: Pick<Results, "rows" | "growth"> = existsSync(file)
    ? readResults(file)
    : { rows: [], growth: [] };
  const isOther = ({ benchmark }: { readonly benchmark: string }): boolean => !benchmarks.includes(benchmark);
  const rows = lines.flatMap((line) => ("row" in line ? [{ ...line.row, date }] : []));
  const growth = lines.flatMap((line) => ("growth" in line ? [{ ...line.growth, date }] : []));
  const results: Results = {
    machine: machine(),
    versions: versions(),
    rows: [...before.rows.filter(isOther), ...rows].sort(byBenchmark),
    growth: [...before.growth.filter(isOther), ...growth],
  };
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, rounded, 2)}\n`);
}

export const readResults = (file: string): Results => JSON.parse(readFileSync(file, "utf8")) as Results;

/** Four digits. More would change with every run and have no meaning. */
const rounded = (_name: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;

const byBenchmark = (a: ReportedRow, b: ReportedRow): number =>
  a.benchmark < b.benchmark ? -1 : a.benchmark > b.benchmark ? 1 : 0;

function machine(): Results["machine"] {
  const [cpu, ...others] = cpus();
  return {
    processor: cpu?.model ?? "unknown",
    cores: 1 + others.length,
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${process.platform} ${process.arch}`,
  };
}

/** Packages whose version affects a result. */
const packages = [
  "@partita/core",
  "@azure/data-tables",
  "@mikro-orm/core",
  "better-sqlite3",
  "drizzle-orm",
  "esbuild",
  "pg",
  "typeorm",
  "undici",
];

function versions(): Results["versions"] {
  const { node, v8, sqlite = "unknown" } = process.versions;
  return { node, v8, sqlite, ...Object.fromEntries(packages.map((name) => [name, versionOf(name)])) };
}

/** Reads the manifest from the package's folder, because not every package exports it. */
function versionOf(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const manifest = folders.map((folder) => join(folder, name, "package.json")).find(existsSync);
  if (manifest === undefined) return "unknown";
  return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version;
}
