import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { CommandError } from "../session/session.ts";

/** A line of a backup that is not a row. The first is `backup`, the last is `end`. */
export type BackupMark =
  | { readonly partita: "backup"; readonly version: 1 }
  | { readonly partita: "table"; readonly name: string }
  | { readonly partita: "end of table"; readonly rows: number }
  | {
      readonly partita: "end";
      readonly tables: number;
      readonly rows: number;
      /** SHA-256 of all bytes before this line. */
      readonly sha256: string;
    };

/** A line of a backup: a mark, or a row as text with its line end. */
export type BackupLine = { readonly mark: BackupMark } | { readonly row: string };

/** Rows start with their keys, so this prefix identifies marks. */
const markStart = '{"partita":';

export const markLine = (mark: BackupMark): string => `${JSON.stringify(mark)}\n`;

/**
 * Yields the lines of a backup without holding it in memory. After the mark `end`, it checks the file against
 * that mark.
 *
 * @param onBytes - called with the bytes of each chunk
 * @throws CommandError if the file is damaged, truncated, or not a backup; lines yielded before may be wrong
 * too
 */
export async function* backupLines(
  file: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<BackupLine> {
  const hash = createHash("sha256");
  let [tables, rows, rowsOfTable] = [0, 0, 0];
  let [isFirst, isInTable, hasEnded] = [true, false, false];
  for await (const bytes of linesOf(file, signal, onBytes)) {
    if (hasEnded) throw damaged(file, "there is data after its end");
    const text = bytes.toString("utf8");
    const mark = text.startsWith(markStart) ? markOf(file, text) : undefined;
    if (isFirst && (mark?.partita !== "backup" || mark.version !== 1)) throw notABackup(file);
    isFirst = false;
    if (mark?.partita === "end") {
      const isRight =
        !isInTable && mark.tables === tables && mark.rows === rows && mark.sha256 === hash.digest("hex");
      if (!isRight) throw damaged(file, "its checksum does not match");
      hasEnded = true;
    } else hash.update(bytes);
    switch (mark?.partita) {
      case "table":
        if (isInTable) throw damaged(file, "a table has no end");
        [isInTable, rowsOfTable] = [true, 0];
        tables++;
        break;
      case "end of table":
        if (!isInTable || mark.rows !== rowsOfTable) throw damaged(file, "a table has lost rows");
        isInTable = false;
        break;
      case undefined:
        if (!isInTable) throw damaged(file, "a row belongs to no table");
        rows++;
        rowsOfTable++;
        break;
      case "backup":
      case "end":
        break;
      default:
        throw damaged(file, "it has a line of an unknown kind");
    }
    yield mark === undefined ? { row: text } : { mark };
  }
  if (isFirst) throw notABackup(file);
  if (!hasEnded) throw damaged(file, "its end is missing, so it was truncated or never finished");
}

/** Yields lines with their ends, as bytes. */
async function* linesOf(
  file: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  for await (const chunk of createReadStream(file, {
    signal,
    highWaterMark: 262_144,
  }) as AsyncIterable<Buffer>) {
    onBytes(chunk.length);
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const end = chunk.subarray(from, at + 1);
      yield waiting.length === 0 ? end : Buffer.concat([...waiting, end]);
      waiting = [];
      from = at + 1;
    }
    if (from < chunk.length) waiting.push(chunk.subarray(from));
  }
  if (waiting.length > 0) yield Buffer.concat(waiting);
}

/** The parser's own message would contain part of the text. */
function markOf(file: string, text: string): BackupMark {
  try {
    return JSON.parse(text) as BackupMark;
  } catch {
    throw damaged(file, "one of its lines is not JSON");
  }
}

const damaged = (file: string, what: string): CommandError =>
  new CommandError(`${file} is damaged: ${what}. Use another backup.`);

const notABackup = (file: string): CommandError =>
  new CommandError(`${file} is not a backup of partita backup, or its start is damaged.`);
