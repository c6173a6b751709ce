import { BlockAppender, maxBlock } from "../blocks/block-appender.ts";
import { deleteBlock, deleteHead, readBlock, readHead, writeBlock } from "../blocks/change-block.ts";
import { FileWriter } from "../blocks/file-writer.ts";
import { type Block, type IdRange, readRows } from "../blocks/read-blocks.ts";
import { readState } from "../blocks/read-state.ts";
import { streamBlocks } from "../blocks/stream-blocks.ts";
import { FileError } from "../errors/file-error.ts";
import type { VersionPlace } from "../errors/file-errors.ts";
import type { FileMetadata, FileRow } from "../rows/file-rows.ts";
import { contextOf, type FileStore } from "../store/file-store.ts";
import { type FileInfo, infoOf } from "../versions/file-info.ts";
import { changeMetadata } from "../versions/metadata.ts";
import { blockBytes, checkId } from "./check-block.ts";
import {
  checkDeleteHead,
  checkRange,
  checkRead,
  checkSignal,
  type DeleteHeadOptions,
  type FileRange,
  type FileReadOptions,
  type SignalOptions,
} from "./read-options.ts";

/** How often a follower looks for more, in milliseconds. */
const defaultPollMs = 500;

/**
 * One version of a file. It is read and written as long as it is not reclaimed: where the path is written anew, or deleted, a
 * `StoredFile` is still the version that was opened, and takes no more blocks.
 */
export class StoredFile {
  readonly #store: FileStore;
  readonly #appender: BlockAppender;
  #info: FileInfo;

  /** @internal */
  constructor(store: FileStore, row: FileRow) {
    this.#store = store;
    this.#info = infoOf(row);
    this.#appender = new BlockAppender(store, row);
  }

  get path(): string {
    return this.#info.path;
  }

  get version(): number {
    return this.#info.version;
  }

  /** As it was when the file was opened, or when its metadata was changed here. */
  get info(): FileInfo {
    return this.#info;
  }

  get metadata(): FileMetadata {
    return this.#info.metadata;
  }

  /**
   * Changes metadata: `{ author: "Ann", draft: null }` sets one member and removes another; what is not named stays.
   *
   * @throws FileError `file.metadata`, `file.missing` when the version was reclaimed
   */
  async updateMetadata(changes: FileMetadata, options: SignalOptions = {}): Promise<void> {
    checkSignal(options);
    this.#info = infoOf(await changeMetadata(this.#store, this.#place, changes, options.signal));
  }

  /**
   * Appends one block, in one transaction: it is there as a whole, behind every block that the version ever had, or not at all.
   * Any number of programs may append to one file.
   *
   * @param content - up to 983,040 bytes; a text is stored as UTF-8
   * @returns its id: ids rise by one
   * @throws FileError `file.block-too-large`, `file.closed`, `file.reclaimed`, `file.full`, `file.contended`; `file.in-doubt`,
   *   where it may or may not be stored: it is never appended twice
   */
  async append(content: Uint8Array | string, options: SignalOptions = {}): Promise<bigint> {
    checkSignal(options);
    return this.#appender.append([blockBytes(content)], options.signal);
  }

  /** Writes bytes to the end of the file. Close it at the end, or hold it with `await using`. */
  writer(options: SignalOptions = {}): FileWriter {
    checkSignal(options);
    return new FileWriter((blocks) => this.#appender.append(blocks, options.signal), this.#store.blockSize);
  }

  /** A writer as a web stream, such as for `body.pipeTo(file.writable())`; Node's `Writable.fromWeb` makes one of Node's. */
  writable(options: SignalOptions = {}): WritableStream<Uint8Array | string> {
    const writer = this.writer(options);
    return new WritableStream({
      write: (chunk) => writer.write(chunk),
      close: () => writer.close(),
    });
  }

  /**
   * The bytes of the file, as it is when reading begins: a web stream, and async iterable. `Readable.fromWeb` makes a stream
   * of Node's. With `follow: true` it goes on with what is appended, until the version is deleted or replaced.
   *
   * @throws FileError, while it is read: `file.reclaimed`, `file.damaged`
   */
  stream(options: FileReadOptions = {}): ReadableStream<Uint8Array> {
    return ReadableStream.from(bytesOf(this.blocks(options)));
  }

  /** The blocks of the file with their ids. @throws as `stream` does */
  blocks(options: FileReadOptions = {}): AsyncGenerator<Block, undefined> {
    checkRead(options);
    const { follow = false, pollMs = defaultPollMs, signal } = options;
    return streamBlocks(this.#store, this.#place, { ...rangeOf(options), follow, pollMs, signal });
  }

  /** All bytes of the file. */
  async bytes(options: SignalOptions = {}): Promise<Uint8Array> {
    checkSignal(options);
    const all: Uint8Array[] = [];
    for await (const { bytes } of this.blocks(options)) all.push(bytes);
    return all.length === 1 ? (all[0] as Uint8Array) : Buffer.concat(all);
  }

  /** The file as a text. @param encoding - as `TextDecoder` takes it; default UTF-8 */
  async text(encoding = "utf-8", options: SignalOptions = {}): Promise<string> {
    checkSignal(options);
    const decoder = decoderOf(encoding);
    let text = "";
    for await (const { bytes } of this.blocks(options)) text += decoder.decode(bytes, { stream: true });
    return text + decoder.decode();
  }

  /** One block; undefined where it was never written, or was deleted. @throws FileError `file.block-id`, `file.damaged` */
  async readBlock(id: bigint, options: SignalOptions = {}): Promise<Uint8Array | undefined> {
    checkSignal(options);
    checkId(id);
    return readBlock(this.#store, this.#place, id, options.signal);
  }

  /**
   * Writes a block under an id, in place of what is there. Ids between it and the blocks before it may stay without a block;
   * `append` goes on behind it.
   *
   * @throws FileError `file.block-id`, and as `append` does
   */
  async writeBlock(id: bigint, content: Uint8Array | string, options: SignalOptions = {}): Promise<void> {
    checkSignal(options);
    checkId(id);
    await writeBlock(this.#store, this.#place, { id, bytes: blockBytes(content) }, options.signal);
  }

  /** Removes a block. @returns false where there was none @throws FileError `file.block-id`, `file.in-doubt` */
  async deleteBlock(id: bigint, options: SignalOptions = {}): Promise<boolean> {
    checkSignal(options);
    checkId(id);
    return deleteBlock(this.#store, this.#place, id, options.signal);
  }

  /** The first block: the next one of a queue. @throws FileError `file.damaged` */
  async readHead(options: SignalOptions = {}): Promise<Block | undefined> {
    checkSignal(options);
    return readHead(this.#store, this.#place, options.signal);
  }

  /**
   * Removes the first block, and returns it; undefined where there is none. However many programs do so, each block is
   * returned to one of them. With `expecting`, only the block of that id is removed.
   *
   * @throws FileError `file.head-moved`, `file.damaged`; `file.in-doubt`, where the block is gone, and it may have been us
   */
  async deleteHead(options: DeleteHeadOptions = {}): Promise<Block | undefined> {
    checkDeleteHead(options);
    if (options.expecting !== undefined) checkId(options.expecting);
    return deleteHead(this.#store, this.#place, options.expecting, options.signal);
  }

  /** How many blocks there are. */
  async blockCount(options: FileRange & SignalOptions = {}): Promise<number> {
    checkRange(options);
    const { path, version } = this.#place;
    const { from, to } = rangeOf(options);
    return contextOf(this.#store)
      .query(this.#store.rows.BlockRow)
      .where((block) => [block.path.eq(path), block.version.eq(version), block.id.ge(from), block.id.lt(to)])
      .count({ signal: options.signal });
  }

  /** How many bytes there are: counted, by reading the length of each block. */
  async size(options: SignalOptions = {}): Promise<number> {
    checkSignal(options);
    const { path, version } = this.#place;
    const sizes = contextOf(this.#store)
      .query(this.#store.rows.BlockRow)
      .where((block) => [block.path.eq(path), block.version.eq(version), block.id.ge(0n)])
      .select("size")
      .mergeOption("noTracking");
    let bytes = 0;
    for await (const { size } of sizes.stream({ signal: options.signal })) bytes += size;
    return bytes;
  }

  /**
   * Ranges of ids that together are the whole file, for readers that share it: `blocks(range)` reads one of them. They are
   * equal in ids, so about equal in blocks where few are missing.
   *
   * @param count - ranges at most; fewer where there are fewer ids
   */
  async splits(count: number, options: SignalOptions = {}): Promise<readonly IdRange[]> {
    checkSignal(options);
    if (!Number.isInteger(count) || count < 1)
      throw new FileError("file.option", "splits(count) takes a whole number from 1 on.");
    const { signal } = options;
    const [{ next }, head] = await Promise.all([
      readState(this.#store, contextOf(this.#store), this.#place, signal),
      firstId(this.#store, this.#place, signal),
    ]);
    if (head === undefined) return [];
    const all = next - head;
    const parts = all < BigInt(count) ? all : BigInt(count);
    const bound = (i: bigint): bigint => head + (all * i) / parts;
    return Array.from({ length: Number(parts) }, (_, i) => ({
      from: bound(BigInt(i)),
      to: bound(BigInt(i) + 1n),
    }));
  }

  get #place(): VersionPlace {
    return { path: this.#info.path, version: this.#info.version };
  }
}

const rangeOf = ({ from = 0n, to = maxBlock + 1n }: FileRange): IdRange => ({ from, to });

async function* bytesOf(blocks: AsyncIterable<Block>): AsyncGenerator<Uint8Array, undefined> {
  for await (const { bytes } of blocks) if (bytes.byteLength > 0) yield bytes;
}

async function firstId(
  store: FileStore,
  place: VersionPlace,
  signal: AbortSignal | undefined,
): Promise<bigint | undefined> {
  const all = { from: 0n, to: maxBlock + 1n };
  for await (const { id } of readRows(store, place, all, signal)) return id;
  return undefined;
}

function decoderOf(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding);
  } catch (error) {
    throw new FileError(
      "file.option",
      "text(encoding) takes an encoding that TextDecoder knows, such as utf-8.",
      {},
      {
        cause: error,
      },
    );
  }
}
