import type { FileWriter } from "../blocks/file-writer.ts";
import type { Block, IdRange } from "../blocks/block.ts";
import type { FileMetadata } from "../rows/file-metadata.ts";
import type { FileInfo } from "../versions/file-info.ts";
import type { DeleteHeadOptions, FileRange, FileReadOptions, SignalOptions } from "./read-options.ts";

/**
 * One version of a file. It is read and written as long as it is not reclaimed: where the path is written anew, or deleted, a
 * `StoredFile` is still the version that was opened, and takes no more blocks.
 */
export interface StoredFile {
  readonly path: string;

  readonly version: number;

  /** As it was when the file was opened, or when its metadata was changed here. */
  readonly info: FileInfo;

  readonly metadata: FileMetadata;

  /**
   * Changes metadata: `{ author: "Ann", draft: null }` sets one member and removes another; what is not named stays.
   *
   * @throws FileError `file.metadata`, `file.missing` when the version was reclaimed
   */
  updateMetadata(changes: FileMetadata, options?: SignalOptions): Promise<void>;

  /**
   * Appends one block, in one transaction: it is there as a whole, behind every block that the version ever had, or not at all.
   * Any number of programs may append to one file.
   *
   * @param content - up to 983,040 bytes; a text is stored as UTF-8
   * @returns its id: ids rise by one
   * @throws FileError `file.block-too-large`, `file.closed`, `file.reclaimed`, `file.full`, `file.contended`; `file.in-doubt`,
   *   where it may or may not be stored: it is never appended twice
   */
  append(content: Uint8Array | string, options?: SignalOptions): Promise<bigint>;

  /** Writes bytes to the end of the file. Close it at the end, or hold it with `await using`. */
  writer(options?: SignalOptions): FileWriter;

  /** A writer as a web stream, such as for `body.pipeTo(file.writable())`; Node's `Writable.fromWeb` makes one of Node's. */
  writable(options?: SignalOptions): WritableStream<Uint8Array | string>;

  /**
   * The bytes of the file, as it is when reading begins: a web stream, and async iterable. `Readable.fromWeb` makes a stream
   * of Node's. With `follow: true` it goes on with what is appended, until the version is deleted or replaced.
   *
   * It is a byte stream: `getReader({ mode: "byob" })` reads into memory of your own, which takes less memory and less time.
   *
   * @throws FileError, while it is read: `file.reclaimed`, `file.damaged`
   */
  stream(options?: FileReadOptions): ReadableStream<Uint8Array>;

  /** The blocks of the file with their ids. @throws as `stream` does */
  blocks(options?: FileReadOptions): AsyncGenerator<Block, undefined>;

  /** All bytes of the file. */
  bytes(options?: SignalOptions): Promise<Uint8Array>;

  /** The file as a text, with a byte order mark where it begins with one. @param encoding - as `TextDecoder` takes it; default UTF-8 */
  text(encoding?: string, options?: SignalOptions): Promise<string>;

  /** One block; undefined where it was never written, or was deleted. @throws FileError `file.block-id`, `file.damaged` */
  readBlock(id: bigint, options?: SignalOptions): Promise<Uint8Array | undefined>;

  /**
   * Writes a block under an id, in place of what is there. Ids between it and the blocks before it may stay without a block;
   * `append` goes on behind it.
   *
   * @throws FileError `file.block-id`, and as `append` does
   */
  writeBlock(id: bigint, content: Uint8Array | string, options?: SignalOptions): Promise<void>;

  /** Removes a block. @returns false where there was none @throws FileError `file.block-id`, `file.in-doubt` */
  deleteBlock(id: bigint, options?: SignalOptions): Promise<boolean>;

  /** The first block: the next one of a queue. @throws FileError `file.damaged` */
  readHead(options?: SignalOptions): Promise<Block | undefined>;

  /**
   * Removes the first block, and returns it; undefined where there is none. However many programs do so, each block is
   * returned to one of them. With `expecting`, only the block of that id is removed.
   *
   * @throws FileError `file.head-moved`, `file.damaged`; `file.in-doubt`, where the block is gone, and it may have been us
   */
  deleteHead(options?: DeleteHeadOptions): Promise<Block | undefined>;

  /** How many blocks there are. */
  blockCount(options?: FileRange & SignalOptions): Promise<number>;

  /** How many bytes there are: counted, by reading the length of each block. */
  size(options?: SignalOptions): Promise<number>;

  /**
   * Ranges of ids that together are the whole file, for readers that share it: `blocks(range)` reads one of them. They are
   * equal in ids, so about equal in blocks where few are missing.
   *
   * @param count - ranges at most; fewer where there are fewer ids
   */
  splits(count: number, options?: SignalOptions): Promise<readonly IdRange[]>;
}
