import type { StoredEntity } from "@partita/core/storage";
import { TransferError } from "./transfer-error.ts";

/** The result of reading a line: a row, or the problem with the line. Neither for a line to skip. */
export interface Line {
  readonly row?: StoredEntity | undefined;
  readonly bad?: TransferError | undefined;
  /** Characters of text. */
  readonly length: number;
}

/** Reads one format of rows. */
export interface LineReader {
  /** The line number at the start of the next text, counted from 1. */
  readonly line: number;
  /**
   * Reads the line or record at a position. Undefined if the text ends before it does and more may follow.
   *
   * @throws TransferError if no later line can be read either
   */
  next(text: string, from: number, isEnd: boolean): Line | undefined;
  /** Called at the end of the text. @throws TransferError if something is missing */
  end?(): void;
}

/** Characters to read together. */
const blockLength = 65_536;

/**
 * Maximum characters of one row. A row of the service's 1 MiB has a sixth of them if each of its characters
 * is escaped. The limit keeps an unclosed quotation mark from collecting the complete file.
 */
const mostLength: number = 16 * 1024 * 1024;

/**
 * Yields lists of the lines of a file. An incomplete line is read again once there is twice as much text, so
 * the time stays proportional to the text.
 */
export async function* linesOf(
  texts: AsyncIterable<string>,
  readerOf: (text: string) => LineReader,
): AsyncGenerator<readonly Line[]> {
  let pieces: string[] = [];
  let [length, wanted] = [0, blockLength];
  let reader: LineReader | undefined;

  const take = (isEnd: boolean): readonly Line[] => {
    const text = pieces.join("");
    reader ??= readerOf(text);
    const lines: Line[] = [];
    let at = 0;
    while (at < text.length) {
      const line = reader.next(text, at, isEnd);
      if (line === undefined) break;
      lines.push(line);
      at += line.length;
    }
    const rest = text.slice(at);
    if (isEnd) reader.end?.();
    if (rest.length > mostLength) throw TransferError.badText(reader.line, "a row is longer than 16 MiB");
    pieces = [rest];
    length = rest.length;
    wanted = Math.max(blockLength, 2 * length);
    return lines;
  };

  for await (const text of texts) {
    pieces.push(text);
    length += text.length;
    if (length >= wanted) yield take(false);
  }
  yield take(true);
}

const byteOrderMark = 0xfe_ff;

/**
 * Converts chunks of text or UTF-8 to text, without a byte order mark.
 *
 * @throws TransferError `transfer.text` for bytes that are not UTF-8
 */
export async function* textOf(source: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let [line, isFirst] = [1, true];
  let start: Uint8Array | undefined;
  const decode = (chunk?: Uint8Array): string => {
    start ??= chunk?.subarray(0, 2);
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw TransferError.badText(line, problemOfBytes(start));
    }
  };
  for await (const chunk of source) {
    let text = typeof chunk === "string" ? decode() + chunk : decode(chunk);
    if (text === "") continue;
    line += countOf("\n", text);
    if (isFirst && text.charCodeAt(0) === byteOrderMark) text = text.slice(1);
    isFirst = false;
    yield text;
  }
  yield decode();
}

/** The problem with bytes that are not UTF-8, by the first two of the file. */
function problemOfBytes(start: Uint8Array = new Uint8Array()): string {
  const [first = 0, second = 0] = start;
  switch ((first << 8) | second) {
    case 0x1f_8b:
      return "it is compressed with gzip. Decompress it first";
    case 0x50_4b:
      return "it is a zip archive or a spreadsheet. Extract it, or save the sheet as CSV in UTF-8";
    case 0xff_fe:
    case 0xfe_ff:
      return "it is UTF-16. Save it as UTF-8, or convert it";
    default:
      return "it is not UTF-8. Save it as UTF-8, or convert it";
  }
}

/** Counts a character in a text. */
export function countOf(character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++;
  return count;
}
