import type {
  IndexBuildReport,
  IndexDropReport,
  IndexProgress,
  IndexVerification,
} from "@partita/maintenance";
import type { Limits } from "../commands/shared.ts";
import { type ClassesOfTable, loadTarget, type Target } from "../modules/load-classes.ts";
import { inSession, type Session } from "../session/session.ts";
import { printableKey } from "../terminal/printable.ts";
import { jobProgress, leftLines, restLine } from "./print.ts";

/** The action of the command. */
type Action = "build" | "verify" | "drop";

/** Options as given. */
interface IndexOptions extends Limits {
  readonly repair?: boolean;
}

/**
 * `partita index`: builds, verifies or drops an index of a module. Returns the exit code: 1 if something is
 * left to do.
 */
export const index = (action: Action, args: readonly string[], options: IndexOptions): Promise<number> =>
  inSession(
    async (session) => {
      const [, , name] = args;
      const target = await loadTarget(args);
      await using _closed = target.storage;
      let isClean = true;
      for (const { table, classes } of tablesFor(action, target, name)) {
        const show = jobProgress(session, table);
        const onProgress = ({ phase, read, written }: IndexProgress): void =>
          show(phase, read, `${count(written)} ${phase === "drop" ? "deleted" : "written"}`);
        const lines = await run(action, target, classes, name, {
          ...options,
          signal: session.signal,
          onProgress,
        });
        session.bar.end();
        for (const line of lines.text) await session.out.line(line);
        isClean &&= lines.isClean;
      }
      return isClean ? 0 : 1;
    },
    () => "Run it again to continue.",
  );

/** The lines to print, and whether nothing is left to do. */
interface Done {
  readonly isClean: boolean;
  readonly text: readonly string[];
}

type JobOptions = IndexOptions & Pick<Session, "signal"> & { onProgress: (progress: IndexProgress) => void };

async function run(
  action: Action,
  { core, storage }: Target,
  classes: ClassesOfTable["classes"],
  index: string | undefined,
  { repair = false, ...job }: JobOptions,
): Promise<Done> {
  const { signal, onProgress } = job;
  switch (action) {
    case "build": {
      const report = await core.buildIndex(storage, classes, index ?? "", job);
      return { isClean: report.isClean, text: linesOfBuild(report) };
    }
    case "verify": {
      const report = await core.verifyIndex(storage, classes, index, { repair, signal, onProgress });
      return { isClean: report.isClean, text: linesOfVerification(report) };
    }
    case "drop": {
      const report = await core.dropIndex(storage, classes, index ?? "", job);
      return { isClean: report.isClean, text: linesOfDrop(report) };
    }
    default:
      return action satisfies never;
  }
}

/**
 * The tables of a module that have the index. If none has it, one table, so the library reports the error.
 */
function tablesFor(
  action: Action,
  { core: { modelOf }, tables }: Target,
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

const linesOfBuild = ({
  table,
  index: name,
  written,
  changed,
  verification,
  isClean,
}: IndexBuildReport): string[] => [
  `${table}: ${count(written)} rows of ${name} written, ${count(changed)} entities read again`,
  ...linesOfVerification(verification),
  isClean
    ? `${name} is complete: queries use it from now on.`
    : `${name} is not complete. Change or delete the entities listed above, then build it again.`,
];

function linesOfVerification(report: IndexVerification): string[] {
  const { table, entities, rows, missing, extra, different, repaired } = report;
  const all = missing + extra + different;
  return [
    `${table}: ${report.indexes.join(", ")}`,
    `${count(entities).padStart(12)}  entities, ${count(rows)} rows in indexes`,
    `${count(all).padStart(12)}  differences: ${count(missing)} missing, ${count(extra)} extra, ${count(different)} different; ${count(repaired)} repaired`,
    ...report.differences.map(({ type, index: name, key, entity, isRepaired }) => {
      const where = entity === undefined ? `row ${printableKey(key)}` : printableKey(entity);
      return `  ${type} in ${name}: ${where}${isRepaired ? ", repaired" : ""}`;
    }),
    ...restLine(report.differences.length, all),
    ...report.duplicates.map(
      ({ index: name, properties, entities: keys }) =>
        `  not unique in ${name}, the same ${properties.join(", ")}: ${keys.map(printableKey).join(", ")}`,
    ),
    ...restLine(report.duplicates.length, report.duplicateCount),
    ...leftLines(report.left, report.leftCount, "left alone"),
    ...(report.leftReservations === 0
      ? []
      : [
          `${count(report.leftReservations).padStart(12)}  reservations that no entity needs; --repair deletes them`,
        ]),
  ];
}

const linesOfDrop = ({ table, index: name, removed, isClean }: IndexDropReport): string[] => [
  `${table}: ${count(removed)} rows of ${name} deleted`,
  isClean
    ? `No row of ${name} is left. Remove its declaration.`
    : `Rows of ${name} are left because a program still writes them. Declare the index as retired in that program too.`,
];
