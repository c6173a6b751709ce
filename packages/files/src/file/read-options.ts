import {
  abortSignal,
  accepted,
  type CheckOptions,
  defineOptions,
  trueOrFalse,
  wholeNumber,
} from "@partita/core/internal";
import { FileError } from "../errors/file-error.ts";

/** What every call takes. */
export interface SignalOptions {
  /** Stops it. */
  readonly signal?: AbortSignal | undefined;
}

/** A range of blocks. */
export interface FileRange {
  /** The first id; default 0n. */
  readonly from?: bigint | undefined;
  /** The id before which it ends; by default all blocks. */
  readonly to?: bigint | undefined;
}

/** How a file is read. */
export interface FileReadOptions extends FileRange, SignalOptions {
  /** Whether to go on with what is appended, until the version is deleted or replaced; default false. */
  readonly follow?: boolean | undefined;
  /** How often a follower looks for more, in milliseconds; default 500. */
  readonly pollMs?: number | undefined;
}

/** How the first block is removed. */
export interface DeleteHeadOptions extends SignalOptions {
  /** The id of the block to remove, as `readHead` returned it. */
  readonly expecting?: bigint | undefined;
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

/** @throws OptionError `file.option`; FileError `file.block-id` for a range that ends before it begins */
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
    throw new FileError("file.block-id", `A range of blocks ends before it begins: from ${from} to ${to}.`);
}
