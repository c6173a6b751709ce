// Cold starts: from the start of a process to the first 20 rows, of a service and of a file. esbuild bundles
// and minifies the programs. The result is the CPU time of the process minus that of an empty program.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type BuildOptions } from "esbuild";
import { startResponseServer } from "./answer-server.ts";
import { articleValues } from "./article.ts";
import { openByHand } from "./peers/by-hand.ts";
import { openPartita } from "./peers/partita.ts";
import type { Target } from "./report.ts";
import { type MeasuredContender, reportRow } from "./report-row.ts";
import { median } from "./statistics.ts";

const rounds = 15;
const folder = mkdtempSync(join(tmpdir(), "partita-cold-"));
const banner =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url), __dirname = import.meta.dirname;';

/** The entry of better-sqlite3 for one platform contains the path of its binary, so a bundler finds it. */
const binary = import.meta.resolve(`better-sqlite3/${process.platform}-${process.arch}`);

/** Ways to bundle a program and to run it. */
interface Form {
  readonly name: string;
  readonly options: BuildOptions;
  readonly extension: ".mjs" | ".cjs";
  /** Loads V8's compiled code of an earlier process from a folder. */
  readonly isCached?: true;
}

const esm: BuildOptions = { format: "esm", banner: { js: banner }, outExtension: { ".js": ".mjs" } };
const forms: readonly Form[] = [
  { name: "ESM", options: esm, extension: ".mjs" },
  { name: "ESM, compile cache", options: esm, extension: ".mjs", isCached: true },
  {
    name: "CommonJS",
    options: { format: "cjs", outExtension: { ".js": ".cjs" } },
    extension: ".cjs",
  },
  { name: "ESM, split", options: { ...esm, splitting: true }, extension: ".mjs" },
];

interface Program {
  readonly name: string;
  /** A file of the folder `cold`. */
  readonly file: string;
  readonly role: MeasuredContender["role"];
  readonly source: string;
  readonly target?: Target;
}

const server = await startResponseServer();
const [ours, relational] = [join(folder, "partita.db"), join(folder, "relational.db")];
const values = Array.from({ length: 1000 }, (_, i) => articleValues(i));
for (const store of [await openPartita(ours), openByHand(relational)]) {
  await store.insert(values);
  await store.close();
}

const service: readonly Program[] = [
  {
    name: "@azure/data-tables",
    file: "service-data-tables",
    role: "baseline",
    source: server.connectionString,
  },
  {
    name: "Partita",
    file: "service-partita",
    role: "ours",
    source: server.connectionString,
    target: { atMost: 0.95, goal: 0.9 },
  },
];
const file: readonly Program[] = [
  { name: "Drizzle over better-sqlite3", file: "file-drizzle", role: "baseline", source: relational },
  { name: "Partita", file: "file-partita", role: "ours", source: ours, target: { atMost: 2.2, goal: 2 } },
  { name: "MikroORM over better-sqlite3", file: "file-mikro", role: "peer", source: relational },
];
const empty: Program = { name: "an empty program", file: "empty", role: "peer", source: "" };

for (const form of forms) {
  await measure("service, bundled, first 20 rows", form, service);
  await measure("file, bundled, first query", form, file);
}
await server.stop();
rmSync(folder, { recursive: true });

async function measure(what: string, form: Form, programs: readonly Program[]): Promise<void> {
  const running: { readonly program: Program; readonly bundle: string; readonly costs: number[] }[] = [];
  for (const program of [empty, ...programs]) {
    const bundle = await bundled(program, form);
    try {
      cpuNs(bundle, program, form);
    } catch (error) {
      console.log(`\n${program.name}, ${what}, ${form.name}: does not run. ${firstLine(error)}`);
      continue;
    }
    running.push({ program, bundle, costs: [] });
  }
  for (let round = 0; round < rounds; round++)
    for (const { program, bundle, costs } of running) costs.push(cpuNs(bundle, program, form));
  const base = median(running[0]?.costs ?? []);
  const isFigure = form === forms[0];
  reportRow({
    name: isFigure ? what : `${what}: ${form.name}`,
    title: `From process start: ${what} (${form.name}), above an empty program of ${(base / 1e6).toFixed(0)} ms`,
    clock: "process",
    contenders: running.slice(1).map(({ program: { name, role, target }, costs }) => ({
      name,
      role,
      samples: costs.map((cost) => cost - base),
      target: isFigure ? target : undefined,
    })),
  });
}

async function bundled(program: Program, { name, options, extension }: Form): Promise<string> {
  const outdir = join(folder, name, program.file);
  await build({
    ...options,
    entryPoints: [join(import.meta.dirname, "cold", `${program.file}.ts`)],
    outdir,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    logLevel: "error",
    alias: { "better-sqlite3": fileURLToPath(binary) },
    loader: { ".node": "copy" },
  });
  return join(outdir, program.file + extension);
}

function cpuNs(bundle: string, { source }: Program, { isCached }: Form): number {
  const output = execFileSync(process.execPath, [bundle, source], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...(isCached && { NODE_COMPILE_CACHE: join(folder, "compiled") }) },
  });
  const { rows, cpuUs } = JSON.parse(output) as { readonly rows: number; readonly cpuUs: number };
  if (rows !== 20) throw new Error(`${bundle} read ${rows} rows.`);
  return cpuUs * 1000;
}

/** The first line may be one of a minified bundle. */
function firstLine(error: unknown): string {
  const text = String((error as { readonly stderr?: unknown }).stderr ?? error);
  return (/^\w*Error: .+$/m.exec(text)?.[0] ?? text).slice(0, 200);
}
