import type { StoredEntity } from "@partita/core/storage";
import { TransferError } from "./transfer-error.ts";

/** What was read of a file: a row, or what is wrong with a line; neither for a line that is to be passed over. */
export interface Line {
  readonly row?: StoredEntity | undefined;
  readonly bad?: TransferError | undefined;
  /** Characters of text. */
  readonly length: number;
}

/** Reads one form of rows. */
export interface LineReader {
  /** The line that the next text begins at, counted from 1. */
  readonly line: number;
  /**
   * Reads what begins at a position; undefined where the text ends before it does, and more may come.
   *
   * @throws TransferError where no line after this one can be read either
   */
  next(text: string, from: number, isEnd: boolean): Line | undefined;
  /** Called once all is read. @throws TransferError where something is missing at the end */
  end?(): void;
}

/** Characters that are read together. */
const blockLength = 65_536;

/**
 * Characters of one row at most. A row of the service's 1 MiB has a sixth of them, where each of its characters is written
 * as an escape. A quotation mark that is never closed must not collect a whole file.
 */
const mostLength: number = 16 * 1024 * 1024;

/**
 * What a file holds, line by line, in lists. What is not a whole line yet is read again when there is twice as much text, so
 * that the time stays in proportion to the text, however it is cut.
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
 * Text of chunks that are text or UTF-8, without a byte order mark.
 *
 * @throws TransferError `transfer.text` for bytes that are not UTF-8
 */
export async function* textOf(
  source: AsyncIterable<string | Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let [line, isFirst] = [1, true];
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw TransferError.badText(line, "it is not UTF-8. Save it as UTF-8, or convert it");
    }
  };
  for await (const chunk of source) {
    onBytes(typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.byteLength);
    let text = typeof chunk === "string" ? decode() + chunk : decode(chunk);
    if (text === "") continue;
    line += countOf("\n", text);
    if (isFirst && text.charCodeAt(0) === byteOrderMark) text = text.slice(1);
    isFirst = false;
    yield text;
  }
  yield decode();
}

/** How often a text has a character. */
export function countOf(character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++;
  return count;
}
