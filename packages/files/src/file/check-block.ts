import { isUint8Array } from "@partita/core/internal";
import { FileError } from "../errors/file-error.ts";
import { textBytes } from "../blocks/content-bytes.ts";
import { maxBlock } from "../blocks/block.ts";
import { maxBlockBytes } from "../rows/block-limits.ts";

/** The bytes of one block, of what a caller gave. @throws FileError `file.content`, `file.block-too-large` */
export function blockBytes(content: unknown): Uint8Array {
  // Copied at once: the caller may use its memory again, and the sum of a block must be that of its bytes.
  const bytes = typeof content === "string" ? textBytes(content) : copyOf(content);
  if (!isUint8Array(bytes))
    throw new FileError("file.content", "The content of a block is a Uint8Array or a text.");
  if (bytes.byteLength > maxBlockBytes)
    throw new FileError(
      "file.block-too-large",
      `A block has ${maxBlockBytes} bytes at most, and this one has ${bytes.byteLength}. Write it by writer(), which makes several blocks of it.`,
      { bytes: bytes.byteLength, maxBytes: maxBlockBytes },
    );
  return bytes;
}

const copyOf = (content: unknown): unknown =>
  isUint8Array(content) && content.byteLength <= maxBlockBytes ? new Uint8Array(content) : content;

/** @throws FileError `file.block-id` */
export function checkId(id: unknown, most: bigint = maxBlock): asserts id is bigint {
  if (typeof id !== "bigint" || id < 0n || id > most)
    throw new FileError("file.block-id", `The id of a block is a bigint from 0n to ${most}n.`);
}
