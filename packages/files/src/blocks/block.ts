/** One block of a file. */
export interface Block {
  /** 0 to 2^63 - 2. Ids rise in the order of the file. */
  readonly id: bigint;
  readonly bytes: Uint8Array;
}

/** The result of writing a block. */
export interface WrittenBlock {
  /** Its id. */
  readonly block: bigint;
  /** Whether there was a block with this id. */
  readonly overwrote: boolean;
}

/** Progress of copying blocks. */
export interface AppendedBlocks {
  /** The number of blocks that the call appended. */
  readonly blocks: number;
  /** The id of the other file's block to continue with. */
  readonly next: bigint;
}

/** The largest id of a block. */
export const maxBlock: bigint = 2n ** 63n - 2n;

/** A range of block ids: an inclusive start and an exclusive end. */
export interface IdRange {
  readonly from: bigint;
  readonly to: bigint;
}

export const allIds: IdRange = { from: 0n, to: maxBlock + 1n };
