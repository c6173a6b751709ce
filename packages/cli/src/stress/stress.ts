import { writeFile } from "node:fs/promises";
import { parse } from "node:path";
import type { TableStorage } from "@partita/core";
import type { StressOverrides, StressReport } from "@partita/testing";
import { openTarget } from "../storage/open-target.ts";
import { loadCoreOf } from "../modules/load-core.ts";
import { loadDefinitions, type NamedStress } from "./load-definitions.ts";
import { progressLine } from "./progress-line.ts";
import { readStressArguments, type StressArguments, type StressOptions } from "./stress-arguments.ts";

/** `partita stress`: runs the stress tests of a module. Returns the exit code: 1 when a target is missed. */
export async function stress(args: readonly string[], options: StressOptions): Promise<number> {
  const asked = readStressArguments(args, options);
  const tests = await loadDefinitions(asked.module);
  // Minutes later would be too late to say so.
  if (asked.svg !== undefined) for (const { definition } of tests) await definition.checkSvg();
  const { openStorage } = await loadCoreOf(asked.module);
  await using storage = await openTarget(asked.storage, { mayCreate: true, open: openStorage });
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once("SIGINT", end);
  try {
    let code = 0;
    for (const test of tests) {
      const report = await measure(test, asked, storage, stop.signal);
      console.log(report.plot());
      await writeFiles(report, asked, tests.length === 1 ? "" : `-${test.name}`);
      if (report.isMet === false) code = 1;
    }
    return code;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    console.log("Stopped. The test's tables are removed.");
    return 130;
  } finally {
    process.off("SIGINT", end);
  }
}

async function measure(
  { name, definition }: NamedStress,
  asked: StressArguments,
  storage: TableStorage,
  signal: AbortSignal,
): Promise<StressReport> {
  const line = progressLine(`${name} (${definition.entity})`);
  try {
    return await definition.run(storage, overridesOf(asked, definition, { onProgress: line.show, signal }));
  } finally {
    line.end();
  }
}

/** What the command line says goes before what the definition says. */
function overridesOf(
  { seconds, from, to, target }: StressArguments,
  { options }: NamedStress["definition"],
  common: StressOverrides,
): StressOverrides {
  const { rate = { from: 100, to: 4000 } } = options;
  return {
    ...common,
    rate: { ...rate, ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
    ...(seconds !== undefined && { seconds }),
    ...(target !== undefined && { target }),
  };
}

/** @param suffix - of the names of files, where there are several tests */
async function writeFiles(
  report: StressReport,
  { svg, json }: StressArguments,
  suffix: string,
): Promise<void> {
  const nameOf = (file: string): string => {
    const { dir, name, ext } = parse(file);
    return `${dir === "" ? "" : `${dir}/`}${name}${suffix}${ext}`;
  };
  if (svg !== undefined) await writeFile(nameOf(svg), await report.svg());
  if (json !== undefined) await writeFile(nameOf(json), report.json());
}
