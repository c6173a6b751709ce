/** Number of inserts in the window of the shares. */
export const insertsOfWindow = 1000;

/** Concurrent inserts, which may arrive in another order than they were sent. */
const insertsOfBlock = 32;

const [between, above, below] = [0, 1, 2] as const;
type Side = typeof between | typeof above | typeof below;

interface Edges {
  readonly smallest: string;
  readonly largest: string;
}

/**
 * Counts the inserts of the last 1,000 into a table with a PartitionKey greater or smaller than all earlier
 * keys. The last 32 to 63 inserts do not count as earlier, because concurrent inserts arrive in any order,
 * and several may go to one new partition. The first 64 have nothing to compare with and count as neither.
 */
export class KeyEdges {
  /** The smallest and the largest key. Undefined before the first insert. */
  #seen: Edges | undefined;
  /** The same before the current block of 32. */
  #seenBefore: Edges | undefined;
  /** The same before the previous block. */
  #compared: Edges | undefined;
  #inserts = 0;
  readonly #window = new Uint8Array(insertsOfWindow);
  readonly #counts: [number, number, number] = [0, 0, 0];

  insert(partitionKey: string): void {
    if (this.#inserts % insertsOfBlock === 0) {
      this.#compared = this.#seenBefore;
      this.#seenBefore = this.#seen;
    }
    const at = this.#inserts++ % insertsOfWindow;
    // Before the window is full, no insert leaves it.
    if (this.#inserts > insertsOfWindow) this.#counts[this.#window[at] as Side]--;
    const side = this.#sideOf(partitionKey);
    this.#counts[side]++;
    this.#window[at] = side;
    this.#see(partitionKey);
  }

  /** Number of inserts in the shares, at most 1,000. */
  get inserts(): number {
    return Math.min(this.#inserts, insertsOfWindow);
  }

  /** The share of inserts after all earlier keys, 0 to 1. */
  get beyondLargest(): number {
    return this.#shareOf(above);
  }

  /** The share of inserts before all earlier keys, 0 to 1. */
  get belowSmallest(): number {
    return this.#shareOf(below);
  }

  #sideOf(partitionKey: string): Side {
    if (this.#compared === undefined) return between;
    if (partitionKey > this.#compared.largest) return above;
    return partitionKey < this.#compared.smallest ? below : between;
  }

  #see(partitionKey: string): void {
    const { smallest, largest } = this.#seen ?? { smallest: partitionKey, largest: partitionKey };
    if (partitionKey < smallest) this.#seen = { smallest: partitionKey, largest };
    else if (partitionKey > largest || this.#seen === undefined)
      this.#seen = { smallest, largest: partitionKey };
  }

  #shareOf(side: Side): number {
    return this.inserts === 0 ? 0 : this.#counts[side] / this.inserts;
  }
}
