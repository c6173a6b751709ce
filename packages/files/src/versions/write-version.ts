import { fitsPack } from "../blocks/block-packer.ts";
import { packBlocks } from "../blocks/pack-blocks.ts";
import { type AppendBlocks, FileWriter } from "../blocks/file-writer.ts";
import type { Block } from "../blocks/block.ts";
import { encoderOf } from "../blocks/encode-text.ts";
import type { FileStore } from "../store/file-store.ts";
import {
  beginVersion,
  type BegunVersion,
  sealVersion,
  type VersionValues,
  writeSmall,
  type WrittenVersion,
} from "./new-version.ts";

/** Options for writing a new version. */
export interface VersionWriting {
  readonly values: VersionValues;
  readonly onProgress: ((bytes: number) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Writes a new version of a path, which replaces the previous one once all of it is stored. */
export async function writeVersion(
  store: FileStore,
  path: string,
  chunks: AsyncIterable<Uint8Array | string>,
  writing: VersionWriting,
  encoding: string | undefined,
): Promise<WrittenVersion> {
  const encode = encoderOf(encoding);
  return withNewVersion(store, path, writing, async (append) => {
    const writer = new FileWriter(append, store.blockSize, encode);
    for await (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  });
}

/** Appends another file's blocks, one by one, without gaps between their ids. */
export async function copyBlocks(blocks: AsyncIterable<Block>, append: AppendBlocks): Promise<void> {
  for await (const pack of packBlocks(blocks)) await append(pack.map(({ bytes }) => bytes));
}

/** Writes the blocks of a new version, and makes it current. */
export async function withNewVersion(
  store: FileStore,
  path: string,
  writing: VersionWriting,
  write: (append: AppendBlocks) => Promise<void>,
): Promise<WrittenVersion> {
  const version = new UnsentVersion(store, path, writing);
  await write((blocks) => version.append(blocks));
  return version.seal();
}

/** A version that is being written. While it is small, nothing is sent. */
class UnsentVersion {
  readonly #store: FileStore;
  readonly #path: string;
  readonly #writing: VersionWriting;
  /** Copies of the blocks that were not sent. */
  readonly #held: Uint8Array[] = [];
  #begun: BegunVersion | undefined;
  #count = 0;
  #bytes = 0;

  constructor(store: FileStore, path: string, writing: VersionWriting) {
    this.#store = store;
    this.#path = path;
    this.#writing = writing;
  }

  async append(blocks: readonly Uint8Array[]): Promise<bigint> {
    const first = BigInt(this.#count);
    this.#count += blocks.length;
    this.#bytes += blocks.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (this.#bytes <= this.#store.smallFileBytes && fitsPack(this.#count, this.#bytes)) {
      // The caller may reuse their memory.
      this.#held.push(...blocks.map((bytes) => new Uint8Array(bytes)));
      return first;
    }
    await this.#send(blocks);
    this.#writing.onProgress?.(this.#bytes);
    return first;
  }

  async #send(blocks: readonly Uint8Array[]): Promise<void> {
    const { values, signal } = this.#writing;
    if (this.#begun !== undefined) return void (await this.#begun.appender.append(blocks, signal));
    const held = this.#held;
    const isOnePack = fitsPack(this.#count, this.#bytes);
    const first = isOnePack ? [...held, ...blocks] : held;
    this.#begun = await beginVersion(this.#store, this.#path, { values, blocks: first, signal });
    if (!isOnePack) await this.#begun.appender.append(blocks, signal);
  }

  async seal(): Promise<WrittenVersion> {
    const { values, onProgress, signal } = this.#writing;
    if (this.#begun !== undefined) return sealVersion(this.#store, this.#begun, signal);
    const written = await writeSmall(this.#store, this.#path, { values, blocks: this.#held, signal });
    if (this.#bytes > 0) onProgress?.(this.#bytes);
    return written;
  }
}
