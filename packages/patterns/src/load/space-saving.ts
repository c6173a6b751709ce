/** One thing that is counted. */
export interface Counter<Extra> {
  readonly group: string;
  readonly key: string;
  /** How much was counted, and at most `missed` more than that is true. */
  readonly count: number;
  /** What of `count` may have been another's: the counter's count when this thing took it over. */
  readonly missed: number;
  readonly extra: Extra;
}

/** What goes with a counter. */
export interface Resettable {
  /** Makes it as good as new, for the next thing that is counted here. */
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
 * Finds what is counted most often in a stream, in bounded memory: Space-Saving (Metwally, Agrawal and El Abbadi, 2005).
 * Whatever has no counter takes over the smallest one, together with its count.
 *
 * Laws, with N as the sum of all weights and k as the number of counters: the true count of what has a counter lies from
 * `count - missed` to `count`; `missed` is N / k at most; whatever was counted more than N / k times has a counter.
 */
export class SpaceSaving<Extra extends Resettable> {
  readonly #size: number;
  readonly #newExtra: () => Extra;
  /** Nested, so that no text is made of group and key to find a counter. */
  readonly #groups = new Map<string, Map<string, Slot<Extra>>>();
  readonly #slots: Slot<Extra>[] = [];
  /** No count is smaller. */
  #least = 0;
  /** Where the last smallest counter was found. */
  #at = 0;

  /**
   * @param size - k, the number of counters
   * @param newExtra - makes what goes with a counter
   */
  constructor(size: number, newExtra: () => Extra) {
    this.#size = size;
    this.#newExtra = newExtra;
  }

  /** Counts a thing `weight` times, and returns what goes with its counter. */
  add(group: string, key: string, weight: number): Extra {
    const slot = this.#groups.get(group)?.get(key) ?? this.#takeSlot(group, key);
    slot.count += weight;
    return slot.extra;
  }

  /** What a thing without a counter was counted at most. */
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
   * Counts only grow, so that the next counter with the count that was the smallest is a smallest one, too. Where many things
   * come once each, it is found at once.
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
