import type { FileWriter } from "../blocks/file-writer.ts";
import type { AppendedBlocks, Block, IdRange, WrittenBlock } from "../blocks/block.ts";
import type { BlockLease } from "./block-lease.ts";
import type { FileMetadata } from "../rows/file-metadata.ts";
import type { FileInfo } from "../versions/file-info.ts";
import type { FileProperty, NameRange } from "../versions/file-properties.ts";
import type {
  AppendFromOptions,
  DeleteHeadOptions,
  EncodingOptions,
  FileRange,
  FileReadOptions,
  LeaseHeadOptions,
  SignalOptions,
} from "./read-options.ts";

/**
 * One version of a file. You can read it until it is reclaimed. If the path is written again or deleted, a
 * `StoredFile` still refers to the version that was opened, which then accepts no more blocks.
 */
export interface StoredFile {
  readonly path: string;

  readonly version: number;

  /** The state when the file was opened, or when its metadata was last changed with this object. */
  readonly info: FileInfo;

  readonly metadata: FileMetadata;

  /**
   * Changes metadata: `{ author: "Ann", draft: null }` sets one member and deletes another. Other members
   * don't change.
   *
   * @throws FileError `file.metadata`, `file.missing` if the version was reclaimed
   */
  updateMetadata(changes: FileMetadata, options?: SignalOptions): Promise<void>;

  /**
   * The members of `metadata` with their times, in the order of their names: all, or those of a range.
   *
   * ```ts
   * await log.updateMetadata({ "app.host": "eu-1", "app.release": 7, owner: "Ann" });
   * const ofApp = log.properties({ from: "app.", to: "app/" });
   * console.log(ofApp.map(({ name, value }) => `${name}=${value}`)); // → [ 'app.host=eu-1', 'app.release=7' ]
   * ```
   *
   * @throws FileError `file.metadata`
   */
  properties(range?: NameRange): readonly FileProperty[];

  /**
   * Appends one block in one transaction, after every block that the version ever had. Any number of programs
   * may append to one file.
   *
   * @param content - up to 983,040 bytes; a text is stored as UTF-8, unless `encoding` says otherwise
   * @returns its id; ids rise by one
   * @throws FileError `file.block-too-large`, `file.closed`, `file.reclaimed`, `file.full`, `file.contended`;
   * `file.in-doubt` if it may or may not be stored. It is never appended twice
   */
  append(content: Uint8Array | string, options?: EncodingOptions): Promise<bigint>;

  /**
   * Appends the blocks of another file, which may be in another file system. Each block is appended once and
   * atomically. If the call was stopped, call it again with `resume: true`.
   *
   * ```ts
   * const notes = await files.write("/notes/b.txt", "Hello");
   * const { blocks, next } = await log.appendFrom(notes, { resume: true });
   * console.log(blocks, next); // → 1 1n
   * ```
   *
   * @throws FileError `file.contended` if another program resumes the same call, and the errors of `append` and
   * of `other.blocks`; OptionError `file.option`
   */
  appendFrom(other: StoredFile, options?: AppendFromOptions): Promise<AppendedBlocks>;

  /** Writes bytes to the end of the file. Close the writer at the end, or declare it with `await using`. */
  writer(options?: EncodingOptions): FileWriter;

  /**
   * A writer as a web stream, such as for `body.pipeTo(file.writable())`. Use `Writable.fromWeb` for a stream
   * of Node.
   */
  writable(options?: EncodingOptions): WritableStream<Uint8Array | string>;

  /**
   * The bytes that the file has when the read starts, as a web stream and async iterable. Use
   * `Readable.fromWeb` for a stream of Node. With `follow: true`, it continues with appended blocks until the
   * version is deleted or replaced.
   *
   * It is a byte stream: `getReader({ mode: "byob" })` reads into your own memory, which needs less memory
   * and time.
   *
   * @throws FileError, while it is read: `file.reclaimed`, `file.damaged`
   */
  stream(options?: FileReadOptions): ReadableStream<Uint8Array>;

  /** The blocks of the file with their ids. @throws the errors of `stream` */
  blocks(options?: FileReadOptions): AsyncGenerator<Block, undefined>;

  /** All bytes of the file. */
  bytes(options?: SignalOptions): Promise<Uint8Array>;

  /**
   * The file as a text, including a byte order mark at its start.
   *
   * @param encoding - an encoding of `TextDecoder`; default UTF-8
   */
  text(encoding?: string, options?: SignalOptions): Promise<string>;

  /**
   * One block. Undefined if it was never written, or was deleted.
   *
   * @throws FileError `file.block-id`, `file.damaged`
   */
  readBlock(id: bigint, options?: SignalOptions): Promise<Uint8Array | undefined>;

  /**
   * Writes a block with an id and replaces an existing one. Smaller ids may stay without a block. `append`
   * continues after the largest id.
   *
   * ```ts
   * console.log(await log.writeBlock(9n, "ninth")); // → { block: 9n, overwrote: false }
   * ```
   *
   * @throws FileError `file.block-id`, and the errors of `append`
   */
  writeBlock(id: bigint, content: Uint8Array | string, options?: SignalOptions): Promise<WrittenBlock>;

  /** Deletes a block. @returns false if there was none @throws FileError `file.block-id`, `file.in-doubt` */
  deleteBlock(id: bigint, options?: SignalOptions): Promise<boolean>;

  /** The first block: the next one of a queue. @throws FileError `file.damaged` */
  readHead(options?: SignalOptions): Promise<Block | undefined>;

  /**
   * Deletes the first block and returns it. Undefined if there is none. If several programs call it, each
   * block is returned to exactly one of them. With `expecting`, only the block with that id is deleted.
   *
   * @throws FileError `file.head-moved`, `file.damaged`; `file.in-doubt` if the block no longer exists and
   * this call or another may have deleted it
   */
  deleteHead(options?: DeleteHeadOptions): Promise<Block | undefined>;

  /**
   * Leases the first block that no other program has leased. If the program that leased it is killed, another one
   * gets the block. Undefined if there is none. `readHead` and `deleteHead` don't look at leases.
   *
   * ```ts
   * const lease = await log.leaseHead({ for: 30_000 });
   * console.log(lease?.block.id); // → 0n
   * await lease?.done();
   * ```
   *
   * @throws FileError `file.damaged`, `file.contended`, `file.reclaimed`; OptionError `file.option`
   */
  leaseHead(options: LeaseHeadOptions): Promise<BlockLease | undefined>;

  /**
   * The number of blocks, in one request. If blocks of the file were deleted, the rows of a range are counted.
   *
   * ```ts
   * console.log(await log.blockCount()); // → 1
   * ```
   */
  blockCount(options?: FileRange & SignalOptions): Promise<number>;

  /**
   * The number of bytes, in one request.
   *
   * ```ts
   * console.log(await log.size()); // → 8
   * ```
   */
  size(options?: SignalOptions): Promise<number>;

  /**
   * Estimates the bytes of a range from its ends, in two requests: as many average blocks as it has ids.
   *
   * ```ts
   * console.log(await log.estimate({ from: 0n, to: 1n })); // → 8
   * ```
   */
  estimate(options?: FileRange & SignalOptions): Promise<number>;

  /**
   * Splits the file into ranges of ids for several readers: `blocks(range)` reads one of them. The ranges
   * have the same number of ids, so about the same number of blocks if few are missing.
   *
   * @param count - maximum number of ranges; fewer if there are fewer ids
   */
  splits(count: number, options?: SignalOptions): Promise<readonly IdRange[]>;
}
