import type { DatabaseFinding, VerifyReport } from "@partita/maintenance";
import { inSession, type Session } from "../session/session.ts";
import { checkStorageFile, fileTarget } from "../storage/storage-file.ts";
import { printableKey } from "../terminal/printable.ts";

/** Options as given. */
interface VerifyOptions {
  readonly repair?: string;
}

/** `partita verify`: checks the file of an embedded store. Returns the exit code: 1 if it is damaged. */
export const verify = ([file = ""]: readonly string[], { repair }: VerifyOptions): Promise<number> =>
  inSession(async (session) => {
    const target = fileTarget(file);
    checkStorageFile(target, false);
    if (await isSound(file, target, repair !== undefined, session)) return 0;
    if (repair !== undefined) await repairInto(target, repair, session);
    else
      session.say(
        `${file} is damaged. Restore it from a backup, or copy the intact rows to a new file: --repair <new file>.`,
      );
    return 1;
  });

/** Prints the findings of a check. */
async function isSound(
  file: string,
  target: string,
  isRepairing: boolean,
  { out, bar, say }: Session,
): Promise<boolean> {
  const [{ StorageError }, { verifyDatabase }] = await Promise.all([
    import("@partita/core"),
    import("@partita/maintenance"),
  ]);
  let report: VerifyReport;
  try {
    report = await verifyDatabase(target, {
      onProgress: ({ table = "pages", checked, total }) => bar.say(progressOf(table, checked, total)),
    });
  } catch (error) {
    // A file that can't be checked may still be partly readable.
    if (!isRepairing || !StorageError.is(error) || error.code !== "storage.damaged") throw error;
    say(error.message);
    return false;
  }
  bar.end();
  for (const { table, rows } of report.tables) await out.line(tableLine(table, rows));
  if (report.isClean) await out.line(`${file} is sound.`);
  for (const finding of report.findings) say(lineOf(finding.check, finding));
  const more = report.findingCount - report.findings.length;
  if (more > 0) say(`and ${more.toLocaleString("en")} more`);
  return report.isClean;
}

/** Copies the intact rows to a new file, and prints the damage. */
async function repairInto(target: string, newFile: string, { out, bar, say }: Session): Promise<void> {
  const { repairDatabase } = await import("@partita/maintenance");
  const { tables, lostRows } = await repairDatabase(target, fileTarget(newFile), {
    onProgress: ({ table, read }) => bar.say(progressOf(table, read)),
    onLost: (row) => say(lineOf("lost", row)),
  });
  bar.end();
  await out.line(`${newFile} has the intact rows:`);
  for (const { table, rows, expectedRows = rows } of tables)
    await out.line(tableLine(table, rows, expectedRows));
  await out.line(`${lostRows.toLocaleString("en")} ${lostRows === 1 ? "row is" : "rows are"} lost.`);
}

function tableLine(table: string, rows: number, expectedRows = rows): string {
  const more = rows === expectedRows ? "" : ` of ${expectedRows.toLocaleString("en")}`;
  return `${rows.toLocaleString("en").padStart(12)}${more}  rows in ${table}`;
}

function lineOf(what: string, { table, key, message }: Omit<DatabaseFinding, "check">): string {
  const position = [table, key && printableKey(key)].filter((part) => part !== undefined).join(" ");
  return `${what}: ${position === "" ? "" : `${position}: `}${shortened(message)}`;
}

/** SQLite lists up to a hundred pages of a damaged file in one message. */
function shortened(message: string): string {
  const lines = message.split("\n");
  if (lines.length <= mostLines) return message;
  return [...lines.slice(0, mostLines - 1), `and ${lines.length - mostLines + 1} more lines`].join("\n");
}

const mostLines = 6;

function progressOf(table: string, rows: number, total?: number): string {
  const percent = total === undefined ? "" : `  ${total === 0 ? 100 : Math.floor((rows / total) * 100)} %`;
  return `${table}  ${rows.toLocaleString("en")} rows${percent}`;
}
