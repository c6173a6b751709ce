// Files in blocks, stored in the tables of any storage.

export type { AppendedBlocks, Block, IdRange, WrittenBlock } from "./blocks/block.ts";
export type { FileWriter } from "./blocks/file-writer.ts";
export { FileError } from "./errors/file-error.ts";
export type { BlockLease } from "./file/block-lease.ts";
export type { FileContent } from "./file/content.ts";
export type {
  CopyFileOptions,
  CreateFileOptions,
  DeleteAllOptions,
  ListFilesOptions,
  OpenFileOptions,
  WriteFileOptions,
} from "./file/file-options.ts";
export type {
  AppendFromOptions,
  DeleteHeadOptions,
  EncodingOptions,
  FileRange,
  FileReadOptions,
  LeaseHeadOptions,
  SignalOptions,
} from "./file/read-options.ts";
export type { StoredFile } from "./file/stored-file.ts";
export type { FilesOptions } from "./files-options.ts";
export { type Files, tableFiles } from "./table-files.ts";
export type { ZonePolicy } from "./paths/zones.ts";
export type { ReclaimOptions, ReclaimReport } from "./reclaim/reclaim-options.ts";
export type { FileMetadata } from "./rows/file-metadata.ts";
export type { DestroyOptions } from "./store/destroy-options.ts";
export type { FileInfo } from "./versions/file-info.ts";
export type { FileProperty, NameRange } from "./versions/file-properties.ts";
