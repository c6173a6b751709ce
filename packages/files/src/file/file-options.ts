import {
  abortSignal,
  accepted,
  aFunction,
  type CheckOptions,
  defineOptions,
  wholeNumber,
} from "@partita/core/internal";
import type { FileMetadata } from "../rows/file-metadata.ts";
import { checkMetadata } from "../versions/metadata.ts";
import type { SignalOptions } from "./read-options.ts";

/** Options for creating a file. */
export interface CreateFileOptions extends SignalOptions {
  /** The media type, such as `text/plain`. */
  readonly contentType?: string | undefined;
  /** Any JSON values, up to 32,768 characters in total. */
  readonly metadata?: FileMetadata | undefined;
}

/** Options for writing a file. */
export interface WriteFileOptions extends CreateFileOptions {
  /** The encoding of texts: one of `TextDecoder` that can be written. Default UTF-8. */
  readonly encoding?: string | undefined;
  /** Called with the number of bytes stored so far, after each transaction. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

/** Options for copying a file. */
export interface CopyFileOptions extends SignalOptions {
  /** Called with the number of bytes stored so far, after each transaction. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

/** Options for opening a file. */
export interface OpenFileOptions extends SignalOptions {
  /** Number of the version. By default the current version. */
  readonly version?: number | undefined;
}

/** Options for listing files. Paths are compared by UTF-16 units. */
export interface ListFilesOptions extends SignalOptions {
  /** The first path, or a prefix of it. */
  readonly from?: string | undefined;
  /** The path before which the list ends. */
  readonly to?: string | undefined;
}

/** Options for deleting files. */
export interface DeleteAllOptions extends SignalOptions {
  /** Called with the number of files deleted so far, after each file. */
  readonly onProgress?: ((deleted: number) => void) | undefined;
}

const code = "file.option";
const aText = accepted<string>("a text", (value) => typeof value === "string");
const created = {
  contentType: aText,
  metadata: accepted<FileMetadata>("an object", (value) => typeof value === "object"),
  signal: abortSignal,
};

const checkCreateOptions = defineOptions<CreateFileOptions>("create(path, options)", created, code);
const checkWriteOptions = defineOptions<WriteFileOptions>(
  "write(path, content, options)",
  { ...created, encoding: aText, onProgress: aFunction },
  code,
);

export function checkCreate(options: CreateFileOptions): void {
  checkCreateOptions(options);
  checkMetadata(options.metadata);
}

export function checkWrite(options: WriteFileOptions): void {
  checkWriteOptions(options);
  checkMetadata(options.metadata);
}

export const checkCopy: CheckOptions = defineOptions<CopyFileOptions>(
  "copy(from, to, options)",
  { onProgress: aFunction, signal: abortSignal },
  code,
);

export const checkOpen: CheckOptions = defineOptions<OpenFileOptions>(
  "open(path, options)",
  { version: wholeNumber(1), signal: abortSignal },
  code,
);

export const checkList: CheckOptions = defineOptions<ListFilesOptions>(
  "list(options)",
  { from: aText, to: aText, signal: abortSignal },
  code,
);

export const checkDeleteAll: CheckOptions = defineOptions<DeleteAllOptions>(
  "deleteAll(from, to, options)",
  { onProgress: aFunction, signal: abortSignal },
  code,
);
