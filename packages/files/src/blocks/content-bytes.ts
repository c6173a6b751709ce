import { isUint8Array } from "@partita/core/internal";
import { FileError } from "../errors/file-error.ts";

/** @throws FileError `file.content` for values other than bytes */
export function checkBytes(content: unknown): asserts content is Uint8Array {
  if (!isUint8Array(content)) throw new FileError("file.content", "Write a Uint8Array or a text to a file.");
}

/** A text as UTF-8. @throws FileError `file.content` for unpaired surrogates, which UTF-8 does not have */
export function textBytes(text: string): Uint8Array {
  if (!text.isWellFormed()) throw notWellFormed();
  return Buffer.from(text);
}

/** Whether a text ends with the first unit of a two-unit character. */
export const endsInHalf = (text: string): boolean => (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;

export const notWellFormed = (): FileError =>
  new FileError(
    "file.content",
    "The text has half of a surrogate pair, which UTF-8 does not have. Remove it, or write bytes.",
  );
