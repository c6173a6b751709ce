import { isUint8Array } from "@partita/core/internal";
import { FileError } from "../errors/file-error.ts";
import { textBytes } from "../blocks/content-bytes.ts";
import type { EncodeText } from "../blocks/encode-text.ts";
import { maxBlock } from "../blocks/block.ts";
import { maxBlockBytes } from "../rows/block-limits.ts";

/**
 * The bytes of one block, from the caller's content.
 *
 * @throws FileError `file.content`, `file.block-too-large`
 */
export function blockBytes(content: unknown, encode: EncodeText = textBytes): Uint8Array {
  // Copied immediately: the caller may reuse its memory, and the checksum must match the bytes.
  const bytes = typeof content === "string" ? encode(content) : copyOf(content);
  if (!isUint8Array(bytes))
    throw new FileError("file.content", "The content of a block must be a Uint8Array or a text.");
  if (bytes.byteLength > maxBlockBytes)
    throw new FileError(
      "file.block-too-large",
      `A block has at most ${maxBlockBytes} bytes, but this content has ${bytes.byteLength}. Use writer(), which splits content into blocks.`,
      { bytes: bytes.byteLength, maxBytes: maxBlockBytes },
    );
  return bytes;
}

const copyOf = (content: unknown): unknown =>
  isUint8Array(content) && content.byteLength <= maxBlockBytes ? new Uint8Array(content) : content;

/** @throws FileError `file.block-id` */
export function checkId(id: unknown, most: bigint = maxBlock): asserts id is bigint {
  if (typeof id !== "bigint" || id < 0n || id > most)
    throw new FileError("file.block-id", `The id of a block must be a bigint from 0n to ${most}n.`);
}
