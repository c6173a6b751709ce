import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The output of a program, and the errors and warnings that it met. */
export interface Run {
  readonly name: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the compiled programs of a folder. One process for all of them starts in a fraction of the time of one for each. */
export async function runsOf(folder: string, names: readonly string[]): Promise<ReadonlyMap<string, Run>> {
  await writeFile(join(folder, "names.json"), JSON.stringify(names));
  const { stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "run-programs.ts"), folder], {
    cwd: folder,
    encoding: "utf8",
  });
  const runs = JSON.parse(await readFile(join(folder, "runs.json"), "utf8").catch(() => "[]")) as Run[];
  if (runs.length !== names.length) throw new Error(`Not all programs ran: ${stderr}`);
  return new Map(runs.map((run) => [run.name, run]));
}
