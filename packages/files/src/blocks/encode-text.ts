import iconv from "iconv-lite";
import { FileError } from "../errors/file-error.ts";
import { textBytes } from "./content-bytes.ts";

/** The bytes of a text. @throws FileError `file.content` for characters that the encoding does not have */
export type EncodeText = (text: string) => Uint8Array;

/**
 * Writes text in an encoding, such that `TextDecoder` with the same label reads it.
 *
 * @throws FileError `file.option` for an encoding that cannot be written
 */
export function encoderOf(label?: string): EncodeText {
  if (label === undefined) return textBytes;
  const decoder = decoderFor(label);
  const { encoding } = decoder;
  if (encoding === "utf-8") return textBytes;
  const isKnown: boolean = iconv.encodingExists(encoding);
  if (!isKnown)
    throw new FileError("file.option", `Text can be read in the encoding ${encoding}, but not written.`);
  return (text) => {
    const bytes = iconv.encode(text, encoding, { addBOM: false });
    // A character that the encoding does not have would become another one.
    if (!text.isWellFormed() || decoder.decode(bytes) !== text)
      throw new FileError(
        "file.content",
        `The text has a character that the encoding ${encoding} does not have. Remove it, or write in UTF-8.`,
      );
    return bytes;
  };
}

/** @throws FileError `file.option` */
export function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label, { ignoreBOM: true });
  } catch (cause) {
    throw new FileError(
      "file.option",
      "The encoding must be one of TextDecoder, such as utf-8 or windows-1252.",
      {},
      { cause },
    );
  }
}
