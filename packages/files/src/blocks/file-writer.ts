import { Semaphore } from "@partita/core/internal";
import { FileError } from "../errors/file-error.ts";
import { checkBytes, endsInHalf, notWellFormed, textBytes } from "./content-bytes.ts";
import { BlockPacker } from "./block-packer.ts";

/** Appends blocks as one. @returns the id of the first */
export type AppendBlocks = (blocks: readonly Uint8Array[]) => Promise<bigint>;

/**
 * Writes bytes to the end of a file. They become blocks of the file system's size; readers see them from the first flush on.
 * A writer that has failed stays failed: what it held may be missing in the file.
 */
export class FileWriter implements AsyncDisposable {
  readonly #append: AppendBlocks;
  readonly #packer: BlockPacker;
  readonly #calls = new Semaphore(1);
  /** The first unit of a character whose second one has not come yet. */
  #half = "";
  #failure: { readonly error: unknown } | undefined;
  /** The end of the last flush, once the writer takes nothing more. */
  #closed: Promise<void> | undefined;

  constructor(append: AppendBlocks, blockSize: number) {
    this.#append = append;
    this.#packer = new BlockPacker(blockSize);
  }

  /**
   * Takes bytes, or a text as UTF-8, and copies them. It waits while blocks are sent, which happens as soon as one transaction
   * is full of them.
   *
   * @throws FileError `file.content`; `file.closed`, `file.reclaimed`, `file.in-doubt`, of this write or of an earlier one
   */
  write(chunk: Uint8Array | string): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(writerClosed());
    if (typeof chunk !== "string") checkBytes(chunk);
    // Copied at once: the caller may use its memory again.
    const packs = settled(() => [...this.#packer.add(this.#bytesOf(chunk))]);
    return this.#inTurn(async () => {
      for (const pack of packs()) {
        await this.#append(pack);
        this.#packer.reuse(pack);
      }
    });
  }

  /** Of a text, UTF-8. A character of two units may come in two parts. @throws FileError `file.content` */
  #bytesOf(part: Uint8Array | string): Uint8Array {
    if (typeof part !== "string") {
      // The second unit would come behind these bytes.
      if (this.#half !== "" && part.byteLength > 0) throw notWellFormed();
      return part;
    }
    const text = this.#half + part;
    this.#half = endsInHalf(text) ? text.slice(-1) : "";
    return textBytes(this.#half === "" ? text : text.slice(0, -1));
  }

  /**
   * Sends what is left as one transaction: all of it is there, or nothing. The last block is as long as its bytes.
   *
   * @returns the id of the first block that was sent; undefined where nothing was left
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

  /** Flushes, and takes nothing more. */
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

/** Does something now, and gives or throws what came of it later. */
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

const writerClosed = (): FileError =>
  new FileError(
    "file.closed",
    "The writer was closed, and takes nothing more. Call writer() of the file again.",
  );
