import { extname } from "node:path";
import type { FileFormat } from "@partita/transfer";
import { openTarget } from "../storage/open-target.ts";
import { counted, formatBytes } from "../terminal/amounts.ts";
import { printable, printableLines } from "../terminal/printable.ts";
import { UsageError } from "../session/usage-error.ts";
import { warnOfKeyNames, withoutKeys } from "./key-names.ts";
import { printUnwritten } from "./print-report.ts";
import { inSession } from "../session/session.ts";
import { checkOutput } from "../disk/named-file.ts";
import { writeComplete } from "../disk/write-complete.ts";

/** Options as given. */
interface ExportOptions {
  readonly format?: FileFormat;
  readonly output?: string;
  readonly filter?: string;
  readonly select?: readonly string[];
  readonly timestamps?: boolean;
  readonly escapeFormulas?: boolean;
  readonly force?: boolean;
}

/** `partita export`: writes the rows of a table to a file or to standard output. */
export function exportRows(
  [storage = "", table = ""]: readonly string[],
  options: ExportOptions,
): Promise<number> {
  const { output = "-", filter, select, timestamps, escapeFormulas, force = false } = options;
  if (output !== "-") checkOutput(output, force);
  const { format = formatOf(output) } = options;
  if (escapeFormulas === true && format !== "csv")
    throw new UsageError("--escape-formulas applies to CSV. Add --format csv.");
  return inSession(
    async ({ out, bar, say, signal }) => {
      warnOfKeyNames(filter, { say });
      const { exportTable } = await import("@partita/transfer");
      await using opened = await openTarget(storage);
      let done = { rows: 0, bytes: 0, omitted: { messages: 0, markers: 0, indexRows: 0 } };
      const chunks = exportTable(opened, table, {
        format,
        filter,
        timestamps,
        escapeFormulas,
        columns: select && withoutKeys(select),
        signal,
        onProgress(progress) {
          done = progress;
          bar.say(`${table}  ${progress.rows.toLocaleString("en")} rows, ${formatBytes(progress.bytes)}`);
        },
      });
      if (output === "-")
        for await (const chunk of chunks) await out.write(out.isTerminal ? printableLines(chunk) : chunk);
      else await writeComplete(output, chunks, { force, signal });
      printUnwritten(done, say);
      if (output !== "-") say(`Wrote ${counted(done.rows, "row")}, ${formatBytes(done.bytes)}.`);
      return 0;
    },
    () => "Nothing was written to the file. Start again.",
  );
}

/** The format that the extension of a file promises. @throws UsageError for that of another format */
function formatOf(file: string): FileFormat {
  const extension = extname(file).toLowerCase();
  if (extension === ".csv") return "csv";
  if (["", ".jsonl", ".ndjson", ".json", ".txt"].includes(extension)) return "jsonl";
  throw new UsageError(
    `partita export writes lines of JSON or CSV, without compression. Name a file with .jsonl or .csv, or choose --format for ${printable(file)}.`,
  );
}
