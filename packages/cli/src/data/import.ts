import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { addAbortSignal } from "node:stream";
import { join } from "node:path";
import type { TableStorage } from "@partita/core";
import type { ColumnTypes, ExistingRows, FileFormat, ImportReport } from "@partita/transfer";
import type { Limits } from "../commands/shared.ts";
import { checkInput } from "../disk/named-file.ts";
import { makeTemporaryFolder } from "../disk/temporary.ts";
import { openIfThere, openTarget } from "../storage/open-target.ts";
import { loadClasses } from "../modules/load-classes.ts";
import { loadCoreOf } from "../modules/load-core.ts";
import { UsageError } from "../session/usage-error.ts";
import { printable } from "../terminal/printable.ts";
import { checkEmpty } from "./check-empty.ts";
import { listed, printUnwritten } from "./print-report.ts";
import { inSession, type Session } from "../session/session.ts";
import { counted } from "../terminal/amounts.ts";

/** Options as given. */
interface ImportOptions extends Limits {
  readonly format?: FileFormat;
  readonly existing?: ExistingRows;
  readonly types?: string;
  readonly escapeFormulas?: boolean;
  readonly skipBad?: boolean;
  readonly dryRun?: boolean;
}

/** An import with its options. */
interface Importing {
  readonly table: string;
  readonly file: string;
  readonly options: ImportOptions;
  readonly types: ColumnTypes | undefined;
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
      const types = options.types === undefined ? undefined : await columnTypes(options.types, table);
      const importing = { table, file, options, types };
      await using opened = dryRun
        ? await openIfThere(storage)
        : await openTarget(storage, { mayCreate: true });
      if (existing === "refuse" && opened !== undefined)
        await checkEmpty(opened, [table], "imported", session);
      if (dryRun || opened === undefined)
        return await inScratch((scratch) => run(scratch, importing, session));
      return await run(opened, importing, session);
    },
    () => "Import the same file again with --existing replace. It writes the same rows with the same values.",
  );
}

async function run(
  storage: TableStorage,
  { table, file, options, types }: Importing,
  session: Session,
): Promise<number> {
  const { bar, say, input, signal } = session;
  const { dryRun: _dryRun, skipBad = false, types: _types, ...given } = options;
  const { importTable } = await import("@partita/transfer");
  const size = file === "-" ? undefined : (await stat(file)).size;
  // The reader may wait for input; a signal must end that too.
  const source = addAbortSignal(signal, file === "-" ? input() : createReadStream(file));
  const report = await importTable(storage, table, source, {
    ...given,
    types,
    ...(skipBad && { onBadLine: ({ message }) => say(withoutRemedy(message)) }),
    signal,
    onProgress: ({ bytes, written }) =>
      bar.show({ done: bytes, size, note: `${written.toLocaleString("en")} rows written` }),
  });
  bar.end();
  return print(report, options, session);
}

/** `infer`, `text`, or the classes of a module that belong to a table. @throws UsageError */
async function columnTypes(types: string, table: string): Promise<ColumnTypes> {
  if (types === "infer" || types === "text") return types;
  const tables = await loadClasses(await loadCoreOf(types), types);
  const found = tables.find((each) => each.table.toLowerCase() === table.toLowerCase());
  if (found !== undefined) return found.classes;
  const known = tables.map((each) => each.table).join(", ");
  throw new UsageError(`${types} has no class of the table ${table}. It has classes of: ${known}.`);
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
  const types = Object.entries(report.inferred).map(([name, type]) => `${printable(name)} ${type}`);
  if (types.length > 0) say(`Inferred: ${types.join(", ")}.`);
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
