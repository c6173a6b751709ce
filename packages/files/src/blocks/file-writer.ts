import { Semaphore } from "@partita/core/internal";
import { FileError } from "../errors/file-error.ts";
import { checkBytes, endsInHalf, notWellFormed, textBytes } from "./content-bytes.ts";
import { BlockPacker } from "./block-packer.ts";

/** Appends blocks atomically. @returns the id of the first */
export type AppendBlocks = (blocks: readonly Uint8Array[]) => Promise<bigint>;

/**
 * Writes bytes to the end of a file. They are stored in blocks of the file system's size. Readers see them
 * from the first flush on. After a failure, the writer refuses further calls, because its bytes may be
 * missing from the file.
 */
export class FileWriter implements AsyncDisposable {
  readonly #append: AppendBlocks;
  readonly #blockSize: number;
  readonly #encode: (text: string) => Uint8Array;
  readonly #packer: BlockPacker;
  readonly #calls = new Semaphore(1);
  /** The first unit of a two-unit character, until the second one arrives. */
  #half = "";
  #failure: { readonly error: unknown } | undefined;
  /** The result of the last flush, once the writer is closed. */
  #closed: Promise<void> | undefined;

  constructor(append: AppendBlocks, blockSize: number, encode: (text: string) => Uint8Array = textBytes) {
    this.#encode = encode;
    this.#append = append;
    this.#blockSize = blockSize;
    this.#packer = new BlockPacker(blockSize);
  }

  /**
   * Copies bytes, or a text, into the writer. When the blocks of one transaction are full, they are
   * sent, and the call waits for it.
   *
   * @throws FileError `file.content`; `file.closed`, `file.reclaimed`, `file.in-doubt`, of this write or of
   * an earlier one
   */
  write(chunk: Uint8Array | string): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(writerClosed());
    if (typeof chunk !== "string") checkBytes(chunk);
    return this.#send(() => this.#packer.add(this.#bytesOf(chunk)));
  }

  /**
   * The bytes that still fit the current block: the block size if it is empty.
   *
   * ```ts
   * await using writer = log.writer();
   * await writer.write("x".repeat(100));
   * console.log(writer.remaining); // → 262044
   * ```
   */
  get remaining(): number {
    return this.#packer.remaining;
  }

  /**
   * Writes a record into one block: if the current block has too few bytes left, it stays shorter, and the record
   * starts the next one. A reader of single blocks then never sees a part of a record.
   *
   * ```ts
   * await using writer = log.writer();
   * await writer.writeRecord(JSON.stringify({ event: "started" }));
   * ```
   *
   * @throws FileError `file.block-too-large` for a record that is larger than a block, and the errors of `write`
   */
  writeRecord(record: Uint8Array | string): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(writerClosed());
    if (typeof record !== "string") checkBytes(record);
    return this.#send(() => {
      if (this.#half !== "") throw notWellFormed();
      const bytes = typeof record === "string" ? this.#encode(record) : record;
      if (bytes.byteLength > this.#blockSize) throw recordTooLarge(bytes.byteLength, this.#blockSize);
      return this.#packer.addWhole(bytes);
    });
  }

  /** Packs bytes immediately, so the caller may reuse its memory, and sends the packs that are full in turn. */
  #send(pack: () => Iterable<readonly Uint8Array[]>): Promise<void> {
    const packs = settled(() => [...pack()]);
    return this.#inTurn(async () => {
      for (const blocks of packs()) {
        await this.#append(blocks);
        this.#packer.reuse(blocks);
      }
    });
  }

  /**
   * The bytes of a text. A two-unit character may arrive in two parts.
   *
   * @throws FileError `file.content`
   */
  #bytesOf(part: Uint8Array | string): Uint8Array {
    if (typeof part !== "string") {
      // The second unit would follow after these bytes.
      if (this.#half !== "" && part.byteLength > 0) throw notWellFormed();
      return part;
    }
    const text = this.#half + part;
    this.#half = endsInHalf(text) ? text.slice(-1) : "";
    return this.#encode(this.#half === "" ? text : text.slice(0, -1));
  }

  /**
   * Sends the remaining bytes as one transaction, atomically. The last block is as long as its bytes.
   *
   * @returns the id of the first block that was sent; undefined if nothing remained
   */
  flush(): Promise<bigint | undefined> {
    if (this.#closed !== undefined) return Promise.reject(writerClosed());
    const isHalf = this.#half !== "";
    const blocks = isHalf ? [] : this.#packer.end();
    return this.#inTurn(async () => {
      if (isHalf) throw notWellFormed();
      return blocks.length === 0 ? undefined : this.#append(blocks);
    });
  }

  /** Flushes, and refuses further writes. */
  close(): Promise<void> {
    this.#closed ??= this.flush().then(() => undefined);
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#calls.run(async () => {
      if (this.#failure !== undefined) throw this.#failure.error;
      try {
        return await work();
      } catch (error) {
        this.#failure = { error };
        throw error;
      }
    });
  }
}

/** Runs the work now, and returns or throws its result later. */
function settled<Result>(work: () => Result): () => Result {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

const recordTooLarge = (bytes: number, maxBytes: number): FileError =>
  new FileError(
    "file.block-too-large",
    `A record has at most the ${maxBytes} bytes of a block, but this one has ${bytes}. Open the file system with a larger blockSize, or use write().`,
    { bytes, maxBytes },
  );

const writerClosed = (): FileError =>
  new FileError(
    "file.closed",
    "The writer was closed and accepts no more content. Call writer() of the file again.",
  );
