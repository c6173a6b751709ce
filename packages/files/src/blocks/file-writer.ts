import { FileError } from "../errors/file-error.ts";
import { bytesOf, endsInHalf, notWellFormed, textBytes } from "./content-bytes.ts";
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
  #last: Promise<unknown> = Promise.resolve();
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
    // Copied at once: the caller may use its memory again.
    const given = typeof chunk === "string" ? chunk : bytesOf(chunk);
    return this.#inTurn(async () => {
      const bytes = typeof given === "string" ? this.#encoded(given) : given;
      for (const pack of this.#packer.add(bytes)) await this.#append(pack);
    });
  }

  /** A text as UTF-8. A character of two units may come in two parts. @throws FileError `file.content` */
  #encoded(part: string): Uint8Array {
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
    return this.#inTurn(async () => {
      if (this.#half !== "") throw notWellFormed();
      const blocks = this.#packer.end();
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
    if (this.#closed !== undefined) return Promise.reject(writerClosed());
    const done = this.#last.then(async () => {
      if (this.#failure !== undefined) throw this.#failure.error;
      try {
        return await work();
      } catch (error) {
        this.#failure = { error };
        throw error;
      }
    });
    this.#last = done.catch(() => undefined);
    return done;
  }
}

const writerClosed = (): FileError =>
  new FileError(
    "file.closed",
    "The writer was closed, and takes nothing more. Call writer() of the file again.",
  );
