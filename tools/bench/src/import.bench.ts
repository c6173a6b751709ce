// Importing each library in a fresh process, in turns: the CPU time (user and system) above that of an empty
// process. The published packages are loaded, not their sources.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reportRow } from "./report-row.ts";
import { median } from "./statistics.ts";

const rounds = 21;
const cache = mkdtempSync(join(tmpdir(), "partita-compile-cache-"));

interface Contender {
  readonly name: string;
  readonly specifier?: string;
  /** Loads V8's compiled code of an earlier process from a folder. */
  readonly isCached?: boolean;
}

const contenders: readonly Contender[] = [
  { name: "nothing" },
  { name: "@partita/core", specifier: "@partita/core" },
  { name: "@partita/core, with Node's compile cache", specifier: "@partita/core", isCached: true },
  { name: "@partita/decorators (and core)", specifier: "@partita/decorators" },
  { name: "@partita/testing (and core)", specifier: "@partita/testing" },
  { name: "@mikro-orm/core", specifier: "@mikro-orm/core" },
  { name: "@azure/data-tables", specifier: "@azure/data-tables" },
];

const times = contenders.map((): number[] => []);
try {
  // The first round fills caches, and is not counted.
  for (let round = -1; round < rounds; round++)
    for (const [i, contender] of contenders.entries()) {
      const ms = cpuOf(contender);
      if (round >= 0) times[i]?.push(ms);
    }
} finally {
  rmSync(cache, { recursive: true, force: true });
}

const [empty = [], ...loads] = times;
const emptyMs = median(empty);
/** The cost of each import above an empty process, in nanoseconds. */
const added = loads.map((costs) => costs.map((ms) => (ms - emptyMs) * 1e6));
reportRow({
  title: `Importing in a fresh process, above an empty one of ${emptyMs.toFixed(0)} ms`,
  clock: "process",
  contenders: added.map((samples, i) => {
    const { name } = contenders[i + 1] as Contender;
    const role = name.startsWith("@partita") ? "ours" : "peer";
    return {
      name,
      role,
      samples,
      target: i === 0 ? { peer: "@mikro-orm/core", atLeast: 1 / 0.35 } : undefined,
    };
  }),
});

const script =
  'await import("@partita/core"); console.log(process.moduleLoadList.filter((m) => /NativeModule (sqlite|crypto|http|net)$|undici$/.test(m)).join(" ") || "no SQLite, cryptography or network")';
console.log(`  loaded by importing @partita/core: ${evaluate(script)}`);

/** Milliseconds of CPU time from the start of a process to the end of its import. */
function cpuOf({ specifier, isCached }: Contender): number {
  const load = specifier === undefined ? "" : `await import(${JSON.stringify(specifier)});`;
  const report = "const { userCPUTime, systemCPUTime } = process.resourceUsage();";
  const text = evaluate(`${load}${report}console.log(userCPUTime + systemCPUTime)`, isCached);
  return Number(text) / 1000;
}

function evaluate(code: string, isCached = false): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    encoding: "utf8",
    cwd: import.meta.dirname,
    env: { ...process.env, ...(isCached && { NODE_COMPILE_CACHE: cache }) },
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}
