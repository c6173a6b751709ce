/** Inserts that a share is taken of. */
export const insertsOfWindow = 1000;

/** Inserts that may arrive in another order than they were made in: those that run at the same time. */
const insertsOfBlock = 32;

const [between, above, below] = [0, 1, 2] as const;
type Side = typeof between | typeof above | typeof below;

interface Edges {
  readonly smallest: string;
  readonly largest: string;
}

/**
 * Counts, of the last 1,000 inserts into a table, those whose PartitionKey was greater or smaller than all that were seen
 * before.
 *
 * "Before" leaves out the 32 to 63 inserts that came last: those that run at the same time arrive in any order, and
 * several may go to one new partition. The first 64 have nothing to be compared with and count as neither.
 */
export class KeyEdges {
  /** The smallest and the largest key; undefined before the first insert. */
  #seen: Edges | undefined;
  /** Those of the inserts before the present block of 32. */
  #seenBefore: Edges | undefined;
  /** Those of the inserts before the block before that. */
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

  /** How many inserts the shares are of: 1,000 at most. */
  get inserts(): number {
    return Math.min(this.#inserts, insertsOfWindow);
  }

  /** The share of inserts behind all keys seen before, 0 to 1. */
  get beyondLargest(): number {
    return this.#shareOf(above);
  }

  /** The share of inserts before all keys seen before, 0 to 1. */
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
