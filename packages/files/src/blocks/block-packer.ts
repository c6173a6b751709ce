/**
 * Blocks of one transaction: 100 operations, up to two of them for the version's state, and four for its name
 * and the end of the previous version.
 */
const maxBlocks = 94;

/**
 * Bytes of the blocks of one transaction. A transaction is limited to 4 MiB: the blocks in base64, which
 * encodes 3 bytes as 4, and the names and keys of their rows. Source: learn.microsoft.com "Performing entity
 * group transactions".
 */
const maxBytes = 2_950_000;

/** Whether one transaction can hold this number of blocks and bytes. */
export const fitsPack = (blocks: number, bytes: number): boolean => blocks <= maxBlocks && bytes <= maxBytes;

/** Copies bytes into blocks, and groups blocks into packs for one transaction each. */
export class BlockPacker {
  readonly #blockSize: number;
  #blocks: Uint8Array[] = [];
  /** The block that is not full yet. */
  #block: Buffer | undefined;
  #filled = 0;
  /** Memory of blocks that were sent. */
  readonly #free: Buffer[] = [];

  constructor(blockSize: number) {
    this.#blockSize = blockSize;
  }

  /** Adds bytes. @returns the packs that are full */
  *add(bytes: Uint8Array): Generator<readonly Uint8Array[]> {
    for (let at = 0; at < bytes.byteLength;) {
      // With its own memory, because short Buffers share a pool.
      this.#block ??= this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#blockSize);
      const part = bytes.subarray(at, at + this.#blockSize - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.byteLength;
      at += part.byteLength;
      if (this.#filled < this.#blockSize) return;
      this.#endBlock();
      if (this.#isFull()) yield this.#take();
    }
  }

  /** Adds bytes to one block: the current one if they fit, or else the next. @returns the packs that are full */
  *addWhole(bytes: Uint8Array): Generator<readonly Uint8Array[]> {
    if (bytes.byteLength > this.remaining) {
      this.#endBlock();
      if (this.#isFull()) yield this.#take();
    }
    yield* this.add(bytes);
  }

  /** The bytes that still fit the block that is not full yet. */
  get remaining(): number {
    return this.#blockSize - this.#filled;
  }

  /** The remaining blocks. The last one may be shorter than the others. */
  end(): readonly Uint8Array[] {
    this.#endBlock();
    return this.#take();
  }

  /** Recycles the memory of blocks that were sent and that no other code holds. */
  reuse(blocks: readonly Uint8Array[]): void {
    for (const { buffer } of blocks)
      if (this.#free.length < this.#mostFree && buffer.byteLength === this.#blockSize)
        this.#free.push(Buffer.from(buffer));
  }

  /** Enough blocks for one transaction. */
  get #mostFree(): number {
    return Math.max(1, Math.min(maxBlocks, Math.floor(maxBytes / this.#blockSize)));
  }

  #isFull(): boolean {
    const next = this.#blocks.length + 1;
    return !fitsPack(next, next * this.#blockSize);
  }

  #endBlock(): void {
    if (this.#block !== undefined) this.#blocks.push(this.#block.subarray(0, this.#filled));
    this.#block = undefined;
    this.#filled = 0;
  }

  #take(): readonly Uint8Array[] {
    const blocks = this.#blocks;
    this.#blocks = [];
    return blocks;
  }
}
