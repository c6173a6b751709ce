/** One block of a file. */
export interface Block {
  /** 0 to 2^63 - 2; ids rise in the order of the file. */
  readonly id: bigint;
  readonly bytes: Uint8Array;
}

/** Ids of blocks: from one on, and before another. */
export interface IdRange {
  readonly from: bigint;
  readonly to: bigint;
}
