import { isUint8Array } from "@partita/core/internal";
import { FileError } from "../errors/file-error.ts";

/** Content of a file: a text (as UTF-8), bytes, or a stream of either, of the web or of Node. */
export type FileContent =
  | string
  | Uint8Array
  | ReadableStream<Uint8Array | string>
  | AsyncIterable<Uint8Array | string>;

/** @throws FileError `file.content` */
export async function* chunksOf(content: FileContent): AsyncGenerator<Uint8Array | string, undefined> {
  if (typeof content === "string" || isUint8Array(content)) {
    yield content;
    return;
  }
  for await (const chunk of content as AsyncIterable<unknown>) {
    if (typeof chunk !== "string" && !isUint8Array(chunk)) throw refused("a chunk of the stream is neither");
    yield chunk;
  }
}

/** @throws FileError `file.content` */
export function checkContent(content: unknown): asserts content is FileContent {
  if (typeof content === "string" || isUint8Array(content)) return;
  const isStream = typeof content === "object" && content !== null && Symbol.asyncIterator in content;
  if (!isStream) throw refused("this value is neither");
}

const refused = (why: string): FileError =>
  new FileError(
    "file.content",
    `A file is written from a text, a Uint8Array, or a stream of them, but ${why}.`,
  );
