import { existsSync } from "node:fs";
import type { FileFinding, VerifyProgress, VerifyReport } from "@partita/core";
import { UsageError } from "../usage-error.ts";

/** `partita verify`: checks the file of an embedded store. Returns the exit code: 1 when something is wrong with it. */
export async function verify(args: readonly string[]): Promise<number> {
  const [file = ""] = args;
  const target = targetOf(file);
  const { verifyFile } = await import("@partita/core");
  const line = progressLine();
  let report: VerifyReport;
  try {
    report = await verifyFile(target, { onProgress: line.show });
  } finally {
    line.end();
  }
  for (const { table, rows } of report.tables)
    console.log(`${rows.toLocaleString("en").padStart(12)}  rows in ${table}`);
  if (report.isSound) {
    console.log(`${file} is sound.`);
    return 0;
  }
  for (const finding of report.findings) console.error(lineOf(finding));
  const more = report.findingCount - report.findings.length;
  if (more > 0) console.error(`and ${more.toLocaleString("en")} more`);
  console.error(
    `${file} is damaged. Restore it from a backup, or copy what can still be read into another file.`,
  );
  return 1;
}

/** The target that openStorage takes, of that or of a path. */
function targetOf(file: string): string {
  const path = file.startsWith("file:") ? file.slice("file:".length) : file;
  // The path of a URL is written in another way, which core reads.
  if (!file.startsWith("file://") && !existsSync(path)) throw new UsageError(`There is no ${path}.`);
  return `file:${path}`;
}

function lineOf({ check, table, key, message }: FileFinding): string {
  const keys = key && `(${JSON.stringify(key.partitionKey)}, ${JSON.stringify(key.rowKey)})`;
  const place = [table, keys].filter((part) => part !== undefined).join(" ");
  return `${check}: ${place === "" ? "" : `${place}: `}${message}`;
}

/** One line that is redrawn on a terminal; nothing elsewhere, where the result is what counts. */
function progressLine(): {
  readonly show: (progress: VerifyProgress) => void;
  readonly end: () => void;
} {
  const out = process.stderr;
  return {
    show({ table = "pages", checked, total }) {
      if (!out.isTTY) return;
      const percent = total === 0 ? 100 : Math.floor((checked / total) * 100);
      out.write(`\r\x1b[K${table}  ${checked.toLocaleString("en")} rows  ${percent} %`);
    },
    end() {
      if (out.isTTY) out.write("\r\x1b[K");
    },
  };
}
