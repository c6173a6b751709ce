import { writeFile } from "node:fs/promises";
import { parse } from "node:path";
import type { TableStorage } from "@partita/core";
import type { StressOverrides, StressReport } from "@partita/testing";
import { loadCoreOf } from "../modules/load-core.ts";
import { inSession } from "../session/session.ts";
import { openTarget } from "../storage/open-target.ts";
import { loadDefinitions, type NamedStress } from "./load-definitions.ts";
import { progressLine } from "./progress-line.ts";

/** Options as given. */
export interface StressOptions {
  readonly storage: string;
  readonly seconds?: number;
  readonly from?: number;
  readonly to?: number;
  readonly target?: number;
  /** Files to write. */
  readonly svg?: string;
  readonly json?: string;
}

/** `partita stress`: runs the stress tests of a module. Returns the exit code: 1 if a target is missed. */
export const stress = ([module = ""]: readonly string[], options: StressOptions): Promise<number> =>
  inSession(
    async ({ out, signal }) => {
      const tests = await loadDefinitions(module);
      const { openStorage } = await loadCoreOf(module);
      await using storage = await openTarget(options.storage, { mayCreate: true, open: openStorage });
      let code = 0;
      for (const test of tests) {
        const report = await measure(test, options, storage, signal);
        await out.line(report.plot());
        await writeFiles(report, options, tests.length === 1 ? "" : `-${test.name}`);
        if (report.isMet === false) code = 1;
      }
      return code;
    },
    () => "The test's tables were deleted.",
  );

async function measure(
  { name, definition }: NamedStress,
  options: StressOptions,
  storage: TableStorage,
  signal: AbortSignal,
): Promise<StressReport> {
  const line = progressLine(`${name} (${definition.entity})`);
  try {
    return await definition.run(storage, overridesOf(options, definition, { onProgress: line.show, signal }));
  } finally {
    line.end();
  }
}

/** The command line takes precedence over the definition. */
function overridesOf(
  { seconds, from, to, target }: StressOptions,
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

/** @param suffix - appended to file names if there are several tests */
async function writeFiles(report: StressReport, { svg, json }: StressOptions, suffix: string): Promise<void> {
  const nameOf = (file: string): string => {
    const { dir, name, ext } = parse(file);
    return `${dir === "" ? "" : `${dir}/`}${name}${suffix}${ext}`;
  };
  if (svg !== undefined) await writeFile(nameOf(svg), report.svg());
  if (json !== undefined) await writeFile(nameOf(json), report.json());
}
