import type { AppendedBlocks } from "../blocks/block.ts";
import {
  abortSignal,
  accepted,
  aFunction,
  type CheckOptions,
  defineOptions,
  optionsOf,
  required,
  trueOrFalse,
  wholeNumber,
} from "@partita/core/internal";
import { FileError } from "../errors/file-error.ts";

/** Options of every call. */
export interface SignalOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Options for writing text. */
export interface EncodingOptions extends SignalOptions {
  /**
   * The encoding of texts: one of `TextDecoder` that can be written. Default UTF-8.
   *
   * ```ts
   * await log.append("größe\n", { encoding: "windows-1252" });
   * ```
   */
  readonly encoding?: string | undefined;
}

/** A range of blocks. */
export interface FileRange {
  /** The first id. Default 0n. */
  readonly from?: bigint | undefined;
  /** The id before which the range ends. By default all blocks. */
  readonly to?: bigint | undefined;
}

/** Options for reading a file. */
export interface FileReadOptions extends FileRange, SignalOptions {
  /** Whether to continue with appended blocks, until the version is deleted or replaced. Default false. */
  readonly follow?: boolean | undefined;
  /** Poll interval of a follower, in milliseconds. Default 500. */
  readonly pollMs?: number | undefined;
}

/** Options for removing the first block. */
export interface DeleteHeadOptions extends SignalOptions {
  /** The id of the block to remove, as returned by `readHead`. */
  readonly expecting?: bigint | undefined;
}

/** Options for leasing the first block. */
export interface LeaseHeadOptions extends SignalOptions {
  /** How long other programs don't get the block, in milliseconds. */
  readonly for: number;
}

/** Options for appending the blocks of another file. */
export interface AppendFromOptions extends SignalOptions {
  /** The blocks of the other file. By default all that it has when the call starts. */
  readonly blocks?: FileRange | undefined;
  /** Whether to continue after the blocks that an earlier call appended from the same version. Default false. */
  readonly resume?: boolean | undefined;
  /** Called after each transaction. */
  readonly onProgress?: ((progress: AppendedBlocks) => void) | undefined;
}

const id = accepted<bigint>(
  "a block's id: a bigint from 0n on",
  (value) => typeof value === "bigint" && value >= 0n,
);
const code = "file.option";
const range = { from: id, to: id };

export const checkSignal: CheckOptions = defineOptions<SignalOptions>(
  "options",
  { signal: abortSignal },
  code,
);

export const checkEncoding: CheckOptions = defineOptions<EncodingOptions>(
  "append(content, options)",
  { encoding: accepted("an encoding", (value) => typeof value === "string"), signal: abortSignal },
  code,
);

const checkReadOptions = defineOptions<FileReadOptions>(
  "stream(options)",
  { ...range, follow: trueOrFalse, pollMs: wholeNumber(1), signal: abortSignal },
  code,
);

const checkRangeOptions = defineOptions<FileRange & SignalOptions>(
  "blockCount(options)",
  { ...range, signal: abortSignal },
  code,
);

export const checkDeleteHead: CheckOptions = defineOptions<DeleteHeadOptions>(
  "deleteHead(options)",
  { expecting: id, signal: abortSignal },
  code,
);

/** @throws OptionError `file.option`; FileError `file.block-id` for a range that ends before it starts */
export function checkRead(options: FileReadOptions): void {
  checkReadOptions(options);
  checkOrder(options);
}

export function checkRange(options: FileRange & SignalOptions): void {
  checkRangeOptions(options);
  checkOrder(options);
}

function checkOrder({ from = 0n, to }: FileRange): void {
  if (to !== undefined && to < from)
    throw new FileError("file.block-id", `A range of blocks ends before it starts: from ${from} to ${to}.`);
}

const checkBlocks = defineOptions<FileRange>("appendFrom(other, { blocks })", range, code);

const checkAppendFromOptions = defineOptions<AppendFromOptions>(
  "appendFrom(other, options)",
  {
    blocks: optionsOf((blocks) => checkBlocks(blocks)),
    resume: trueOrFalse,
    onProgress: aFunction,
    signal: abortSignal,
  },
  code,
);

export function checkAppendFrom(options: AppendFromOptions): void {
  checkAppendFromOptions(options);
  checkOrder(options.blocks ?? {});
}

export const checkLease: CheckOptions = defineOptions<LeaseHeadOptions>(
  "leaseHead(options)",
  { for: required(wholeNumber(1)), signal: abortSignal },
  code,
);
