import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { CommandError } from "../session/session.ts";

/** What a line of a backup is that is no row. The first is `backup`, the last `end`. */
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

/** Rows begin with their keys. */
const markStart = '{"partita":';

export const markLine = (mark: BackupMark): string => `${JSON.stringify(mark)}\n`;

/**
 * The lines of a backup, in little memory. It ends after the mark `end`, if what was read is what that says.
 *
 * @param onBytes - called with the bytes of each chunk
 * @throws CommandError for a file that is damaged, cut, or no backup; what was read before may be wrong, too
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
    if (hasEnded) throw damaged(file, "something stands behind its end");
    const text = bytes.toString("utf8");
    const mark = text.startsWith(markStart) ? markOf(file, text) : undefined;
    if (isFirst && (mark?.partita !== "backup" || mark.version !== 1)) throw notABackup(file);
    isFirst = false;
    if (mark?.partita === "end") {
      const isRight =
        !isInTable && mark.tables === tables && mark.rows === rows && mark.sha256 === hash.digest("hex");
      if (!isRight) throw damaged(file, "its checksum is another one");
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
  if (!hasEnded) throw damaged(file, "its end is missing, so it was cut or never finished");
}

/** Lines with their ends, as bytes. */
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

/** The parser's message has a part of the text in it. */
function markOf(file: string, text: string): BackupMark {
  try {
    return JSON.parse(text) as BackupMark;
  } catch {
    throw damaged(file, "a line of it is not JSON");
  }
}

const damaged = (file: string, what: string): CommandError =>
  new CommandError(`${file} is damaged: ${what}. Take another backup.`);

const notABackup = (file: string): CommandError =>
  new CommandError(`${file} is no backup of partita backup, or its beginning is damaged.`);
