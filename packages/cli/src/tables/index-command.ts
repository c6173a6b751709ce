import type { EntityClass, EntityKey, TableStorage } from "@partita/core";
import type {
  IndexBuildReport,
  IndexDropReport,
  IndexProgress,
  IndexVerification,
} from "@partita/maintenance";
import type { Core } from "./load-core.ts";
import { jobProgressLine } from "./job-progress.ts";
import { type ClassesOfTable, loadTarget } from "./load-classes.ts";
import { wholeNumberOf } from "./number-option.ts";

/** What the command does to an index. */
type Action = "build" | "verify" | "drop";

/** Options as they were given. */
interface IndexOptions {
  readonly repair?: boolean;
  readonly rate?: string;
  readonly concurrency?: string;
}

/** Options of one call, as the library takes them. */
interface Call {
  readonly core: Core;
  readonly storage: TableStorage;
  readonly classes: readonly EntityClass[];
  readonly index: string | undefined;
  readonly repair: boolean;
  readonly job: { readonly concurrency?: number; readonly rate?: number };
  readonly watch: { readonly onProgress: (progress: IndexProgress) => void; readonly signal: AbortSignal };
}

/** `partita index`: builds, verifies or drops an index of a module. Returns the exit code: 1 when something is left to do. */
export async function index(
  action: Action,
  args: readonly string[],
  { repair = false, rate, concurrency }: IndexOptions,
): Promise<number> {
  const [, , name] = args;
  const job = {
    ...(rate !== undefined && { rate: wholeNumberOf("--rate", rate) }),
    ...(concurrency !== undefined && { concurrency: wholeNumberOf("--concurrency", concurrency) }),
  };
  const { core, tables, storage } = await loadTarget(args);
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  try {
    let isClean = true;
    for (const { table, classes } of tablesFor(action, core, tables, name)) {
      const line = jobProgressLine(table);
      const onProgress = ({ phase, read, written }: IndexProgress): void =>
        line.show(phase, read, `${count(written)} ${phase === "drop" ? "removed" : "written"}`);
      const watch = { onProgress, signal: stop.signal };
      try {
        const call = { core, storage, classes, index: name, repair, job, watch };
        isClean = (await run(action, call, line.end)) && isClean;
      } catch (error) {
        line.end();
        if (!stop.signal.aborted) throw error;
        console.log(`${table}: stopped. Call it again to go on.`);
        return 130;
      }
    }
    return isClean ? 0 : 1;
  } finally {
    await storage.close();
  }
}

async function run(action: Action, call: Call, end: () => void): Promise<boolean> {
  const { core, storage, classes, index: name = "", repair, job, watch } = call;
  switch (action) {
    case "build": {
      const report = await core.buildIndex(storage, classes, name, { ...job, ...watch });
      end();
      printBuild(report);
      return report.isClean;
    }
    case "verify": {
      const report = await core.verifyIndex(storage, classes, call.index, { repair, ...watch });
      end();
      printVerification(report);
      return report.isClean;
    }
    case "drop": {
      const report = await core.dropIndex(storage, classes, name, { ...job, ...watch });
      end();
      printDrop(report);
      return report.isClean;
    }
    default:
      return action satisfies never;
  }
}

/** The tables of a module that this is to be done in; where there are none, one about which the library says why. */
function tablesFor(
  action: Action,
  { modelOf }: Core,
  tables: readonly ClassesOfTable[],
  name: string | undefined,
): readonly ClassesOfTable[] {
  const having = (isWanted: (isRetired: boolean) => boolean): readonly ClassesOfTable[] =>
    tables.filter(({ classes }) =>
      classes.some((each) =>
        modelOf(each).indexes.some(
          (one) => (name === undefined || one.name === name) && isWanted(one.state === "retired"),
        ),
      ),
    );
  const found = having((isRetired) => isRetired === (action === "drop"));
  if (found.length > 0) return found;
  const others = having(() => true);
  return (others.length > 0 ? others : tables).slice(0, 1);
}

const count = (rows: number): string => rows.toLocaleString("en");
const keyText = ({ partitionKey, rowKey }: EntityKey): string =>
  `(${JSON.stringify(partitionKey)}, ${JSON.stringify(rowKey)})`;

function printBuild({ table, index: name, written, changed, verification, isClean }: IndexBuildReport): void {
  console.log(`${table}: ${count(written)} rows of ${name} written, ${count(changed)} entities read again`);
  printVerification(verification);
  console.log(
    isClean
      ? `${name} is complete: queries use it from now on.`
      : `${name} is not complete. Change or remove the entities named above, then build it again.`,
  );
}

function printVerification(report: IndexVerification): void {
  const { table, entities, rows, missing, extra, different, repaired } = report;
  console.log(`${table}: ${report.indexes.join(", ")}`);
  console.log(`${count(entities).padStart(12)}  entities, ${count(rows)} rows in indexes`);
  console.log(
    `${count(missing + extra + different).padStart(12)}  differences: ${count(missing)} missing, ${count(extra)} extra, ${count(different)} different; ${count(repaired)} repaired`,
  );
  for (const { type, index: name, key, entity, isRepaired } of report.differences)
    console.log(
      `  ${type} in ${name}: ${entity === undefined ? `row ${keyText(key)}` : keyText(entity)}${isRepaired ? ", repaired" : ""}`,
    );
  printRest(report.differences.length, missing + extra + different);
  for (const { index: name, properties, entities: keys } of report.duplicates)
    console.log(
      `  not unique in ${name}, the same ${properties.join(", ")}: ${keys.map(keyText).join(", ")}`,
    );
  printRest(report.duplicates.length, report.duplicateCount);
  for (const { key, reason } of report.left) console.log(`  left alone: ${keyText(key)}: ${reason.message}`);
  printRest(report.left.length, report.leftCount);
}

function printRest(listed: number, all: number): void {
  if (all > listed) console.log(`  and ${count(all - listed)} more`);
}

function printDrop({ table, index: name, removed, isClean }: IndexDropReport): void {
  console.log(`${table}: ${count(removed)} rows of ${name} removed`);
  console.log(
    isClean
      ? `No row of ${name} is left. Remove its declaration.`
      : `Rows of ${name} are left: a program still writes them. Declare it as retired there, too.`,
  );
}
