// pnpm toolchains [name …]: tries the packed packages with every bundler and in every runtime, and writes the
// results to docs/toolchains.md. With names (`bundlers`, `node@24`, `deno@2`) it tries only those, and writes
// nothing.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openStorage } from "@partita/core";
import { startTableServer } from "@partita/server";
import { bundlers } from "./bundlers.ts";
import { installedProject } from "./packed-project.ts";
import { type Row, writeTable } from "./report.ts";
import { run } from "./run.ts";
import { idOf, installRuntime, runtimes } from "./runtimes.ts";
import { expectedOutput, tryRuntime } from "./try-runtime.ts";

const wanted = process.argv.slice(2);
const known = ["bundlers", ...runtimes.map(idOf)];
const unknown = wanted.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(`"${unknown}" is not a known name. There are: ${known.join(", ")}.`);
  process.exit(2);
}
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);

const rows: Row[] = [];
{
  console.log("Packing the packages with npm, and installing them in a separate project …");
  await using project = await installedProject();
  await using storage = await openStorage("memory:");
  await using server = await startTableServer({ storage });
  if (isWanted("bundlers")) await tryBundlers(project.folder, server.connectionString);
  await tryRuntimes(project.folder, server.connectionString);
}

const failures = rows.flatMap(({ problems }) => problems);
if (wanted.length === 0 && failures.length === 0) await writeTable(rows);
console.log(failures.length === 0 ? "\nAll of them work." : `\n${failures.length} of the trials failed.`);
process.exit(failures.length === 0 ? 0 : 1);

async function tryBundlers(project: string, connectionString: string): Promise<void> {
  for (const [i, { name, version, format, settings, bundle }] of bundlers.entries()) {
    const folder = join(project, "bundles", String(i));
    await mkdir(folder, { recursive: true });
    const program = await bundle(join(project, "round-trip.mjs"), folder);
    const roundTrip = async (target: string): Promise<string | undefined> => {
      const { stdout, stderr } = await run(process.execPath, [program, target, `bundle${i}`]);
      return stdout === expectedOutput ? undefined : stdout || stderr;
    };
    note({
      tool: name,
      version,
      output: format,
      settings,
      responses: [
        await roundTrip("memory:"),
        await roundTrip(`file:${join(folder, "notes.db")}`),
        await roundTrip(connectionString),
      ],
    });
  }
}

async function tryRuntimes(project: string, connectionString: string): Promise<void> {
  for (const runtime of runtimes.filter((one) => isWanted(idOf(one)))) {
    const { command, version } = await installRuntime(runtime, join(project, "runtimes"));
    const { memory, file, service, commonJs } = await tryRuntime(runtime, command, project, connectionString);
    note({
      tool: runtime.name,
      version,
      output: runtime.isTooOld ? "ESM" : "ESM, `require()`",
      settings: runtime.settings,
      responses: [memory, file, service],
      other: commonJs,
      ...(runtime.isTooOld && { good: "not supported" }),
    });
  }
}

/** Adds a row, and prints it immediately. */
function note(row: Omit<Row, "problems">): void {
  const problems = [...row.responses, row.other].filter((response) => response !== undefined);
  rows.push({ ...row, problems });
  const outcome = problems.length === 0 ? (row.good ?? "works") : `FAILED: ${problems.join("; ")}`;
  console.log(`  ${row.tool} ${row.version}, ${row.output}: ${outcome}`);
}
