import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { addAbortSignal } from "node:stream";
import { join } from "node:path";
import type { TableStorage } from "@partita/core";
import type { ExistingRows, FileFormat, ImportReport } from "@partita/transfer";
import type { Limits } from "../commands/shared.ts";
import { checkInput } from "../disk/named-file.ts";
import { makeTemporaryFolder } from "../disk/temporary.ts";
import { openIfThere, openTarget } from "../storage/open-target.ts";
import { checkEmpty } from "./check-empty.ts";
import { listed, printUnwritten } from "./print-report.ts";
import { inSession, type Session } from "../session/session.ts";
import { counted } from "../terminal/amounts.ts";

/** Options as given. */
interface ImportOptions extends Limits {
  readonly format?: FileFormat;
  readonly existing?: ExistingRows;
  readonly escapeFormulas?: boolean;
  readonly skipBad?: boolean;
  readonly dryRun?: boolean;
}

/**
 * `partita import`: writes the rows of a file to a table. Returns the exit code: 1 if rows or lines were left
 * out.
 */
export function importRows(
  [storage = "", table = "", file = ""]: readonly string[],
  options: ImportOptions,
): Promise<number> {
  const { dryRun = false, existing = "refuse" } = options;
  if (file !== "-") checkInput(file);
  return inSession(
    async (session) => {
      await using opened = dryRun
        ? await openIfThere(storage)
        : await openTarget(storage, { mayCreate: true });
      if (existing === "refuse" && opened !== undefined)
        await checkEmpty(opened, [table], "imported", session);
      if (dryRun || opened === undefined)
        return await inScratch((scratch) => run(scratch, table, file, options, session));
      return await run(opened, table, file, options, session);
    },
    () => "Import the same file again with --existing replace. It writes the same rows with the same values.",
  );
}

async function run(
  storage: TableStorage,
  table: string,
  file: string,
  options: ImportOptions,
  session: Session,
): Promise<number> {
  const { bar, say, input, signal } = session;
  const { dryRun: _dryRun, skipBad = false, ...given } = options;
  const { importTable } = await import("@partita/transfer");
  const size = file === "-" ? undefined : (await stat(file)).size;
  // The reader may wait for input; a signal must end that too.
  const source = addAbortSignal(signal, file === "-" ? input() : createReadStream(file));
  const report = await importTable(storage, table, source, {
    ...given,
    ...(skipBad && { onBadLine: ({ message }) => say(withoutRemedy(message)) }),
    signal,
    onProgress: ({ bytes, written }) =>
      bar.show({ done: bytes, size, note: `${written.toLocaleString("en")} rows written` }),
  });
  bar.end();
  return print(report, options, session);
}

/** The remedy suggests an option that is already in use. */
const withoutRemedy = (message: string): string => message.replace(/ Correct it, or skip .*$/, "");

async function print(
  report: ImportReport,
  { dryRun = false }: ImportOptions,
  { out, say }: Session,
): Promise<number> {
  const { table, read, written, skipped, repeated, refused, bad } = report;
  const done = listed(
    [written, dryRun ? "would be written" : "written"],
    [skipped, "skipped"],
    [repeated, "repeated"],
    [refused, "refused"],
    [bad, bad === 1 ? "bad line left out" : "bad lines left out"],
  );
  await out.line(`${table}: ${counted(read, "row")} read, ${done}.`);
  printUnwritten(report, say);
  return refused + bad === 0 ? 0 : 1;
}

/** Works with a temporary storage, which is deleted afterwards. */
async function inScratch(work: (scratch: TableStorage) => Promise<number>): Promise<number> {
  const { openStorage } = await import("@partita/core");
  const folder = makeTemporaryFolder(tmpdir());
  try {
    await using scratch = await openStorage(`file:${join(folder, "scratch.db")}`, { durability: "normal" });
    return await work(scratch);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
