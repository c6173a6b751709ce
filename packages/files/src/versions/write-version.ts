import { BlockAppender } from "../blocks/block-appender.ts";
import { fitsPack } from "../blocks/block-packer.ts";
import { freeMemory } from "../blocks/free-memory.ts";
import { type AppendBlocks, FileWriter } from "../blocks/file-writer.ts";
import type { Block } from "../blocks/block.ts";
import type { FileRow } from "../rows/file-rows.ts";
import type { FileStore } from "../store/file-store.ts";
import { beginVersion, sealVersion, type VersionValues } from "./create-version.ts";

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
): Promise<FileRow> {
  return withNewVersion(store, path, writing, async (append) => {
    const writer = new FileWriter(append, store.blockSize);
    for await (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  });
}

/** Appends another file's blocks, one by one, without gaps between their ids. */
export async function copyBlocks(blocks: AsyncIterable<Block>, append: AppendBlocks): Promise<void> {
  let pack: Uint8Array[] = [];
  let size = 0;
  for await (const { bytes } of blocks) {
    if (!fitsPack(pack.length + 1, size + bytes.byteLength)) {
      await append(pack);
      pack.forEach(freeMemory);
      [pack, size] = [[], 0];
    }
    pack.push(bytes);
    size += bytes.byteLength;
  }
  if (pack.length > 0) await append(pack);
}

/** Creates a version, writes its blocks, and makes it current. */
export async function withNewVersion(
  store: FileStore,
  path: string,
  { values, onProgress, signal }: VersionWriting,
  write: (append: AppendBlocks) => Promise<void>,
): Promise<FileRow> {
  const place = await beginVersion(store, path, values, signal);
  const appender = new BlockAppender(store, place);
  let written = 0;
  await write(async (blocks) => {
    const first = await appender.append(blocks, signal);
    written += blocks.reduce((sum, { byteLength }) => sum + byteLength, 0);
    onProgress?.(written);
    return first;
  });
  return sealVersion(store, place, signal);
}
