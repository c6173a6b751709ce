import { stat } from "node:fs/promises";
import type { TableStorage } from "@partita/core";
import { listed, printUnwritten } from "../data/print-report.ts";
import { checkEmpty } from "../data/check-empty.ts";
import { inSession, type Session } from "../session/session.ts";
import { counted } from "../terminal/amounts.ts";
import type { ExistingRows } from "@partita/transfer";
import type { Limits } from "../commands/shared.ts";
import { checkInput } from "../disk/named-file.ts";
import { openIfThere, openTarget } from "../storage/open-target.ts";
import { printable } from "../terminal/printable.ts";
import { UsageError } from "../session/usage-error.ts";
import { type BackupLine, backupLines } from "./backup-lines.ts";

/** Options as given. */
interface RestoreOptions extends Limits {
  readonly existing?: ExistingRows;
  readonly dryRun?: boolean;
}

/** A table of a backup. */
interface Contents {
  readonly table: string;
  rows: number;
}

/** `partita restore`: checks a backup, then writes its tables to a storage. */
export function restore(
  [storage = "", file = ""]: readonly string[],
  options: RestoreOptions,
): Promise<number> {
  if (file === "-")
    throw new UsageError(
      "A backup is checked before it is restored, so it is read twice and must be a file.",
    );
  checkInput(file);
  return inSession(
    async (session) => {
      const { existing = "refuse", dryRun = false } = options;
      const contents = await check(file, session);
      await using opened = dryRun
        ? await openIfThere(storage)
        : await openTarget(storage, { mayCreate: true });
      if (existing === "refuse" && opened !== undefined)
        await checkEmpty(
          opened,
          contents.map(({ table }) => table),
          "restored",
          session,
        );
      if (dryRun || opened === undefined) return await wouldRestore(contents, session);
      return await restoreAll(opened, file, options, session);
    },
    () => "Some tables may be restored and others not. Restore again with --existing replace.",
  );
}

/** Reads a complete backup. @throws CommandError if it is damaged; nothing is restored then */
async function check(file: string, session: Session): Promise<readonly Contents[]> {
  const contents: Contents[] = [];
  for await (const line of linesWithBar(file, "checked", session)) {
    const last = contents.at(-1);
    if ("row" in line && last !== undefined) last.rows++;
    if ("mark" in line && line.mark.partita === "table") contents.push({ table: line.mark.name, rows: 0 });
  }
  session.bar.end();
  return contents;
}

async function* linesWithBar(
  file: string,
  note: string,
  { bar, signal }: Session,
): AsyncGenerator<BackupLine> {
  const { size } = await stat(file);
  let done = 0;
  yield* backupLines(file, signal, (bytes) => bar.show({ done: (done += bytes), size, note }));
}

async function wouldRestore(contents: readonly Contents[], { out }: Session): Promise<number> {
  for (const { table, rows } of contents)
    await out.line(`${printable(table)}: ${counted(rows, "row")} would be restored.`);
  await out.line("The backup is sound.");
  return 0;
}

async function restoreAll(
  storage: TableStorage,
  file: string,
  { existing, rate, concurrency }: RestoreOptions,
  session: Session,
): Promise<number> {
  const { importTable } = await import("@partita/transfer");
  const lines = linesWithBar(file, "restored", session);
  let code = 0;
  for await (const line of { [Symbol.asyncIterator]: () => ({ next: () => lines.next() }) }) {
    if ("row" in line || line.mark.partita !== "table") continue;
    const { name } = line.mark;
    const { signal } = session;
    const report = await importTable(storage, name, rowsUntilEnd(lines), {
      existing,
      rate,
      concurrency,
      format: "jsonl",
      transactionRows: "keep",
      signal,
    });
    session.bar.end();
    const { written, skipped, refused, refusedRows } = report;
    const rows = written === 1 ? "row" : "rows";
    const done = listed([written, `${rows} restored`], [skipped, "skipped"]);
    await session.out.line(`${printable(name)}: ${done}.`);
    printUnwritten({ refused, refusedRows }, session.say);
    if (refused > 0) code = 1;
  }
  return code;
}

/** Yields the rows of one table in larger chunks. The next line is left for the next call. */
async function* rowsUntilEnd(lines: AsyncGenerator<BackupLine>): AsyncGenerator<string> {
  let text = "";
  for (;;) {
    const { value: line, done } = await lines.next();
    if (done === true || !("row" in line)) break;
    text += line.row;
    if (text.length < pieceLength) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

const pieceLength = 65_536;
