import { appendFrom } from "../blocks/append-from.ts";
import { byteStream } from "../blocks/byte-stream.ts";
import { BlockAppender } from "../blocks/block-appender.ts";
import { deleteBlock, deleteHead, readBlock, readHead, writeBlock } from "../blocks/change-block.ts";
import { type AppendBlocks, FileWriter } from "../blocks/file-writer.ts";
import { allIds, type AppendedBlocks, type Block, type IdRange, type WrittenBlock } from "../blocks/block.ts";
import { freeMemory } from "../blocks/free-memory.ts";
import { blocksOf } from "../blocks/read-blocks.ts";
import { decoderFor, encoderOf } from "../blocks/encode-text.ts";
import { leaseHead } from "../blocks/lease-head.ts";
import { readState, readTotals, type Totals } from "../blocks/read-state.ts";
import { streamBlocks, streamBytes, type StreamRange } from "../blocks/stream-blocks.ts";
import { FileError } from "../errors/file-error.ts";
import type { VersionPlace } from "../errors/file-errors.ts";
import { joinedBytes } from "../rows/block-bytes.ts";
import type { FileMetadata } from "../rows/file-metadata.ts";
import { checkWritable, contextOf, type FileStore } from "../store/file-store.ts";
import type { FileInfo } from "../versions/file-info.ts";
import { type FileProperty, type NameRange, propertiesOf } from "../versions/file-properties.ts";
import { changeMetadata } from "../versions/metadata.ts";
import type { WrittenVersion } from "../versions/new-version.ts";
import type { BlockLease } from "./block-lease.ts";
import type { StoredFile } from "./stored-file.ts";
import { TableLease } from "./table-lease.ts";
import { blockBytes, checkId } from "./check-block.ts";
import {
  type AppendFromOptions,
  checkAppendFrom,
  checkDeleteHead,
  checkEncoding,
  checkLease,
  checkRange,
  checkRead,
  checkSignal,
  type DeleteHeadOptions,
  type EncodingOptions,
  type FileRange,
  type FileReadOptions,
  type LeaseHeadOptions,
  type SignalOptions,
} from "./read-options.ts";

/** Poll interval of a follower, in milliseconds. */
const defaultPollMs = 500;

/** A version of a file, stored in tables. */
export class TableFile implements StoredFile {
  readonly #store: FileStore;
  readonly #place: VersionPlace;
  /** The time at which the file is read. By default now. */
  readonly #asOf: Date | undefined;
  readonly #appender: BlockAppender;
  #info: FileInfo;

  constructor(store: FileStore, version: WrittenVersion) {
    const { place, info, asOf, appender = new BlockAppender(store, place) } = version;
    this.#store = store;
    this.#asOf = asOf;
    this.#place = place;
    this.#info = info;
    this.#appender = appender;
  }

  get path(): string {
    return this.#info.path;
  }

  get version(): number {
    return this.#info.version;
  }

  get info(): FileInfo {
    return this.#info;
  }

  get metadata(): FileMetadata {
    return this.#info.metadata;
  }

  async updateMetadata(changes: FileMetadata, options: SignalOptions = {}): Promise<void> {
    this.#checkChange(options);
    this.#info = await changeMetadata(this.#store, this.#place, changes, options.signal);
  }

  properties(range: NameRange = {}): readonly FileProperty[] {
    return propertiesOf(this.#info, range);
  }

  async append(content: Uint8Array | string, options: EncodingOptions = {}): Promise<bigint> {
    checkEncoding(options);
    this.#checkWritable();
    return this.#appender.append([blockBytes(content, encoderOf(options.encoding))], options.signal);
  }

  async appendFrom(other: StoredFile, options: AppendFromOptions = {}): Promise<AppendedBlocks> {
    checkAppendFrom(options);
    this.#checkWritable();
    if (typeof (other as Partial<StoredFile> | undefined)?.blocks !== "function")
      throw new FileError("file.option", "appendFrom(other) takes a file, such as the result of open(path).");
    const { blocks, resume = false, onProgress, signal } = options;
    const { path, version } = other;
    const { from, to } = rangeOf(blocks ?? {});
    const read = (start: bigint): AsyncIterable<Block> =>
      other.blocks({ from: start, to: start < to ? to : start, signal });
    const target = { place: this.#place, appender: this.#appender };
    return appendFrom(target, { path, version, blocks: read, from }, { resume, onProgress, signal });
  }

  writer(options: EncodingOptions = {}): FileWriter {
    checkEncoding(options);
    this.#checkWritable();
    const append: AppendBlocks = (blocks) => this.#appender.append(blocks, options.signal);
    return new FileWriter(append, this.#store.blockSize, encoderOf(options.encoding));
  }

  writable(options: EncodingOptions = {}): WritableStream<Uint8Array | string> {
    const writer = this.writer(options);
    return new WritableStream({
      write: (chunk) => writer.write(chunk),
      close: () => writer.close(),
    });
  }

  stream(options: FileReadOptions = {}): ReadableStream<Uint8Array> {
    const reading = this.#readingOf(options);
    const { signal } = reading;
    return byteStream((ended) =>
      streamBytes(this.#store, this.#place, {
        ...reading,
        signal: signal === undefined ? ended : AbortSignal.any([signal, ended]),
      }),
    );
  }

  /** Parts that are the only ones in their memory. */
  #parts(options: FileReadOptions): AsyncGenerator<Uint8Array, undefined> {
    return streamBytes(this.#store, this.#place, this.#readingOf(options));
  }

  blocks(options: FileReadOptions = {}): AsyncGenerator<Block, undefined> {
    return streamBlocks(this.#store, this.#place, this.#readingOf(options));
  }

  async bytes(options: SignalOptions = {}): Promise<Uint8Array> {
    checkSignal(options);
    const all: Uint8Array[] = [];
    for await (const part of this.#parts(options)) all.push(part);
    const bytes = joinedBytes(all);
    all.forEach(freeMemory);
    return bytes;
  }

  async text(encoding = "utf-8", options: SignalOptions = {}): Promise<string> {
    checkSignal(options);
    const decoder = decoderFor(encoding);
    let text = "";
    for await (const part of this.#parts(options)) {
      text += decoder.decode(part, { stream: true });
      freeMemory(part);
    }
    return text + decoder.decode();
  }

  async readBlock(id: bigint, options: SignalOptions = {}): Promise<Uint8Array | undefined> {
    checkSignal(options);
    checkId(id);
    const { signal } = options;
    if (this.#asOf !== undefined) return (await this.#firstAsOf({ from: id, to: id + 1n, signal }))?.bytes;
    const bytes = await readBlock(this.#store, this.#place, id, options.signal);
    if (bytes === undefined) await this.#checkThere(options.signal);
    return bytes;
  }

  async writeBlock(
    id: bigint,
    content: Uint8Array | string,
    options: SignalOptions = {},
  ): Promise<WrittenBlock> {
    this.#checkChange(options);
    checkId(id);
    const block = { id, bytes: blockBytes(content) };
    return { block: id, overwrote: await writeBlock(this.#store, this.#place, block, options.signal) };
  }

  async deleteBlock(id: bigint, options: SignalOptions = {}): Promise<boolean> {
    this.#checkChange(options);
    checkId(id);
    return deleteBlock(this.#store, this.#place, id, options.signal);
  }

  async readHead(options: SignalOptions = {}): Promise<Block | undefined> {
    checkSignal(options);
    if (this.#asOf !== undefined) return this.#firstAsOf(options);
    return readHead(this.#store, this.#place, options.signal);
  }

  async deleteHead(options: DeleteHeadOptions = {}): Promise<Block | undefined> {
    checkDeleteHead(options);
    this.#checkWritable();
    if (options.expecting !== undefined) checkId(options.expecting);
    return deleteHead(this.#store, this.#place, options.expecting, options.signal);
  }

  async leaseHead(options: LeaseHeadOptions): Promise<BlockLease | undefined> {
    checkLease(options);
    this.#checkWritable();
    const held = await leaseHead(this.#store, this.#place, options.for, options.signal);
    return held && new TableLease(this.#store, this.#place, held);
  }

  async blockCount(options: FileRange & SignalOptions = {}): Promise<number> {
    checkRange(options);
    const { signal } = options;
    const range = rangeOf(options);
    if (this.#asOf !== undefined) return Number((await this.#countAsOf(options)).blocks);
    const { next, blocks } = await readTotals(this.#store, this.#place, signal);
    if (range.from === 0n && range.to >= next) return Number(blocks);
    // Every id has a block.
    if (blocks === next) return idsOf(range, next);
    return this.#blockRows(range).count({ signal });
  }

  async estimate(options: FileRange & SignalOptions = {}): Promise<number> {
    checkRange(options);
    const { signal } = options;
    const range = rangeOf(options);
    if (this.#asOf !== undefined) return Number((await this.#countAsOf(options)).bytes);
    const [{ next, blocks, bytes }, first] = await Promise.all([
      readTotals(this.#store, this.#place, signal),
      this.#blockRows(range).select("size").first({ signal }),
    ]);
    if (first === undefined || blocks === 0n) return 0;
    const ids = idsOf({ from: first.id, to: range.to }, next);
    return Math.round(Math.min(1, ids / Number(blocks)) * Number(bytes));
  }

  async size(options: SignalOptions = {}): Promise<number> {
    checkSignal(options);
    const { bytes } = await (this.#asOf === undefined
      ? readTotals(this.#store, this.#place, options.signal)
      : this.#countAsOf(options));
    return Number(bytes);
  }

  async splits(count: number, options: SignalOptions = {}): Promise<readonly IdRange[]> {
    checkSignal(options);
    if (!Number.isInteger(count) || count < 1)
      throw new FileError("file.option", "splits(count) takes a whole number from 1 on.");
    const { signal } = options;
    const [{ next }, head] = await Promise.all([
      readState(this.#store, contextOf(this.#store), this.#place, signal),
      this.#blockRows().select("size").first({ signal }),
    ]);
    if (head === undefined) return [];
    const all = next - head.id;
    const parts = all < BigInt(count) ? all : BigInt(count);
    const bound = (i: bigint): bigint => head.id + (all * i) / parts;
    return Array.from({ length: Number(parts) }, (_, i) => ({
      from: bound(BigInt(i)),
      to: bound(BigInt(i) + 1n),
    }));
  }

  /** @throws FileError of `checkRead` */
  #readingOf(options: FileReadOptions): StreamRange {
    checkRead(options);
    const { follow = false, pollMs = defaultPollMs, signal } = options;
    const asOf = this.#asOf;
    return { ...rangeOf(options), follow: follow && asOf === undefined, pollMs, asOf, signal };
  }

  /** Counts the blocks of an earlier time, by reading them. */
  async #countAsOf(options: FileRange & SignalOptions): Promise<Omit<Totals, "next">> {
    const totals = { blocks: 0n, bytes: 0n };
    for await (const { bytes } of this.blocks(options)) {
      totals.blocks += 1n;
      totals.bytes += BigInt(bytes.byteLength);
    }
    return totals;
  }

  async #firstAsOf(options: FileRange & SignalOptions): Promise<Block | undefined> {
    for await (const block of this.blocks(options)) return block;
    return undefined;
  }

  #blockRows(range?: IdRange): ReturnType<typeof blocksOf> {
    return blocksOf(this.#store, contextOf(this.#store), this.#place, range);
  }

  /** @throws OptionError `file.option`; FileError `file.read-only` */
  #checkChange(options: SignalOptions): void {
    checkSignal(options);
    this.#checkWritable();
  }

  #checkWritable(): void {
    checkWritable(this.#store);
    if (this.#asOf !== undefined)
      throw new FileError(
        "file.read-only",
        "The file was opened with at(path, date), so it is only read. To change it, use open(path).",
      );
  }

  /** A reclaimed version looks empty. @throws FileError `file.reclaimed` */
  async #checkThere(signal: AbortSignal | undefined): Promise<void> {
    await readState(this.#store, contextOf(this.#store), this.#place, signal);
  }
}

/** The number of ids in a range that are less than the next one. */
const idsOf = ({ from, to }: IdRange, next: bigint): number =>
  Math.max(0, Number((to < next ? to : next) - from));

const rangeOf = ({ from = allIds.from, to = allIds.to }: FileRange): IdRange => ({ from, to });
