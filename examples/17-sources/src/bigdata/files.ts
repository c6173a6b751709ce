import { type Files, type FilesOptions, type StoredFile, tableFiles } from "@partita/files";
import type { Place } from "../item.ts";

/** A file system in its own two tables. */
export const filesOf = ({ storage, name }: Place, options: FilesOptions = {}): Files =>
  tableFiles(storage, { name: `${name}Docs`, ...options });

/** A file without blocks. */
export const newFile = (place: Place, options?: FilesOptions): Promise<StoredFile> =>
  filesOf(place, options).create("/file");

/** The texts of all blocks, by id. */
export async function textsOf(file: StoredFile): Promise<string[]> {
  const texts: string[] = [];
  for await (const { id, bytes } of file.blocks()) texts.push(`${id}:${textOf(bytes)}`);
  return texts;
}

/** Bytes as text, and text without a block. */
export const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : Buffer.from(bytes).toString();
