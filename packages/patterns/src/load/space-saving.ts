/** One counted item. */
export interface Counter<Extra> {
  readonly group: string;
  readonly key: string;
  /** The count. The true value is at most `missed` smaller. */
  readonly count: number;
  /** The part of `count` that may belong to another item: the counter's value when this item took it over. */
  readonly missed: number;
  readonly extra: Extra;
}

/** Extra data of a counter. */
export interface Resettable {
  /** Resets it for the next item of this counter. */
  reset(): void;
}

class Slot<Extra> implements Counter<Extra> {
  group: string;
  key: string;
  count = 0;
  missed = 0;
  readonly extra: Extra;

  constructor(group: string, key: string, extra: Extra) {
    this.group = group;
    this.key = key;
    this.extra = extra;
  }
}

/**
 * Finds the most frequent items of a stream in bounded memory: Space-Saving (Metwally, Agrawal and El Abbadi,
 * 2005). An item without a counter takes over the smallest one, together with its count.
 *
 * Laws, with N as the sum of all weights and k as the number of counters: the true count of an item with a
 * counter lies from `count - missed` to `count`; `missed` is at most N / k; every item counted more than N /
 * k times has a counter.
 */
export class SpaceSaving<Extra extends Resettable> {
  readonly #size: number;
  readonly #newExtra: () => Extra;
  /** Nested, to find a counter without joining group and key. */
  readonly #groups = new Map<string, Map<string, Slot<Extra>>>();
  readonly #slots: Slot<Extra>[] = [];
  /** The smallest count. */
  #least = 0;
  /** The position of the last smallest counter. */
  #at = 0;

  /**
   * @param size - k, the number of counters
   * @param newExtra - makes the extra data of a counter
   */
  constructor(size: number, newExtra: () => Extra) {
    this.#size = size;
    this.#newExtra = newExtra;
  }

  /** Adds `weight` to an item's count, and returns the extra data of its counter. */
  add(group: string, key: string, weight: number): Extra {
    const slot = this.#groups.get(group)?.get(key) ?? this.#takeSlot(group, key);
    slot.count += weight;
    return slot.extra;
  }

  /** Maximum count of an item without a counter. */
  get unlisted(): number {
    return this.#slots.length < this.#size ? 0 : this.#smallest().count;
  }

  /** All counters, the greatest count first. */
  counters(): readonly Counter<Extra>[] {
    return this.#slots.toSorted((a, b) => b.count - a.count);
  }

  #takeSlot(group: string, key: string): Slot<Extra> {
    const slot = this.#slots.length < this.#size ? this.#newSlot(group, key) : this.#smallest();
    if (slot.key !== key || slot.group !== group) this.#handOver(slot, group, key);
    const slots = this.#groups.get(group);
    if (slots === undefined) this.#groups.set(group, new Map([[key, slot]]));
    else slots.set(key, slot);
    return slot;
  }

  #newSlot(group: string, key: string): Slot<Extra> {
    const slot = new Slot(group, key, this.#newExtra());
    this.#slots.push(slot);
    return slot;
  }

  #handOver(slot: Slot<Extra>, group: string, key: string): void {
    const slots = this.#groups.get(slot.group);
    slots?.delete(slot.key);
    if (slots?.size === 0 && slot.group !== group) this.#groups.delete(slot.group);
    slot.group = group;
    slot.key = key;
    slot.missed = slot.count;
    slot.extra.reset();
  }

  /**
   * Counts only grow, so the next counter with the smallest value is also a smallest one. For many items that
   * occur once each, the search ends immediately.
   */
  #smallest(): Slot<Extra> {
    const slots = this.#slots;
    for (let i = 0; i < slots.length; i++) {
      const at = this.#at + i < slots.length ? this.#at + i : this.#at + i - slots.length;
      if (slots[at]?.count !== this.#least) continue;
      this.#at = at;
      return slots[at];
    }
    this.#at = 0;
    for (const [i, { count }] of slots.entries()) if (count < (slots[this.#at]?.count ?? 0)) this.#at = i;
    const smallest = slots[this.#at] as Slot<Extra>;
    this.#least = smallest.count;
    return smallest;
  }
}
