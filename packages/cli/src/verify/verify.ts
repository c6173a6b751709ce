import { existsSync } from "node:fs";
import type { DatabaseFinding, VerifyReport } from "@partita/maintenance";
import { UsageError } from "../usage-error.ts";

/** Options as they were given. */
interface VerifyOptions {
  readonly repair?: string;
}

/** `partita verify`: checks the file of an embedded store. Returns the exit code: 1 when something is wrong with it. */
export async function verify(args: readonly string[], { repair }: VerifyOptions): Promise<number> {
  const [file = ""] = args;
  const target = targetOf(file);
  if (await isSound(file, target, repair !== undefined)) return 0;
  if (repair === undefined)
    console.error(
      `${file} is damaged. Restore it from a backup, or copy what is sound into a new file: --repair <new file>.`,
    );
  else await repairInto(target, repair);
  return 1;
}

/** Prints what is wrong with a file, if anything. */
async function isSound(file: string, target: string, isRepairing: boolean): Promise<boolean> {
  const [{ StorageError }, { verifyDatabase }] = await Promise.all([
    import("@partita/core"),
    import("@partita/maintenance"),
  ]);
  const line = progressLine();
  let report: VerifyReport;
  try {
    report = await verifyDatabase(target, {
      onProgress: ({ table = "pages", checked, total }) => line.show(table, checked, total),
    });
  } catch (error) {
    // A file that can't be checked may still be read in part.
    if (!isRepairing || !StorageError.is(error) || error.code !== "storage.damaged") throw error;
    console.error(error.message);
    return false;
  } finally {
    line.end();
  }
  for (const { table, rows } of report.tables) printTable(table, rows);
  if (report.isClean) console.log(`${file} is sound.`);
  for (const finding of report.findings) console.error(lineOf(finding.check, finding));
  const more = report.findingCount - report.findings.length;
  if (more > 0) console.error(`and ${more.toLocaleString("en")} more`);
  return report.isClean;
}

/** Copies what is sound into a new file, and prints what is not. */
async function repairInto(target: string, newFile: string): Promise<void> {
  const { repairDatabase } = await import("@partita/maintenance");
  const line = progressLine();
  try {
    const into = newFile.startsWith("file:") ? newFile : `file:${newFile}`;
    const { tables, lostRows } = await repairDatabase(target, into, {
      onProgress: ({ table, read }) => line.show(table, read),
      onLost(row) {
        line.end();
        console.error(lineOf("lost", row));
      },
    });
    line.end();
    console.log(`${newFile} has what is sound:`);
    for (const { table, rows, expectedRows = rows } of tables)
      printTable(table, rows, rows === expectedRows ? "" : ` of ${expectedRows.toLocaleString("en")}`);
    console.log(`${lostRows.toLocaleString("en")} ${lostRows === 1 ? "row is" : "rows are"} lost.`);
  } finally {
    line.end();
  }
}

const printTable = (table: string, rows: number, more = ""): void =>
  console.log(`${rows.toLocaleString("en").padStart(12)}${more}  rows in ${table}`);

/** The target that openStorage takes, of that or of a path. */
function targetOf(file: string): string {
  const path = file.startsWith("file:") ? file.slice("file:".length) : file;
  // The path of a URL is written in another way, which core reads.
  if (!file.startsWith("file://") && !existsSync(path)) throw new UsageError(`There is no ${path}.`);
  return `file:${path}`;
}

function lineOf(what: string, { table, key, message }: Omit<DatabaseFinding, "check">): string {
  const keys = key && `(${JSON.stringify(key.partitionKey)}, ${JSON.stringify(key.rowKey)})`;
  const position = [table, keys].filter((part) => part !== undefined).join(" ");
  return `${what}: ${position === "" ? "" : `${position}: `}${message}`;
}

/** One line that is redrawn on a terminal; nothing elsewhere, where the result is what counts. */
function progressLine(): {
  readonly show: (table: string, rows: number, total?: number) => void;
  readonly end: () => void;
} {
  const out = process.stderr;
  return {
    show(table, rows, total) {
      if (!out.isTTY) return;
      const percent =
        total === undefined ? "" : `  ${total === 0 ? 100 : Math.floor((rows / total) * 100)} %`;
      out.write(`\r\x1b[K${table}  ${rows.toLocaleString("en")} rows${percent}`);
    },
    end() {
      if (out.isTTY) out.write("\r\x1b[K");
    },
  };
}
