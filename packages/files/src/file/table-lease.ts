import type { Block } from "../blocks/block.ts";
import { deleteLeased, type HeldBlock, setLease } from "../blocks/lease-head.ts";
import type { VersionPlace } from "../errors/file-errors.ts";
import { type FileStore, nowOf } from "../store/file-store.ts";
import type { BlockLease } from "./block-lease.ts";
import { checkLease, checkSignal, type LeaseHeadOptions, type SignalOptions } from "./read-options.ts";

/** A lease of a block, stored in the row of the block. */
export class TableLease implements BlockLease {
  readonly #store: FileStore;
  readonly #place: VersionPlace;
  readonly #held: HeldBlock;
  #until: Date;

  constructor(store: FileStore, place: VersionPlace, held: HeldBlock) {
    this.#store = store;
    this.#place = place;
    this.#held = held;
    this.#until = held.until;
  }

  get block(): Block {
    return this.#held.block;
  }

  get until(): Date {
    return this.#until;
  }

  async renew(options: LeaseHeadOptions): Promise<void> {
    checkLease(options);
    const until = new Date(this.#store.clock.now() + options.for);
    await setLease(this.#store, this.#place, this.#held, { until }, options.signal);
    this.#until = until;
  }

  async done(options: SignalOptions = {}): Promise<void> {
    checkSignal(options);
    await deleteLeased(this.#store, this.#place, this.#held, options.signal);
  }

  async release(options: SignalOptions = {}): Promise<void> {
    checkSignal(options);
    const until = nowOf(this.#store);
    const next = crypto.randomUUID();
    await setLease(this.#store, this.#place, this.#held, { until, next }, options.signal);
  }
}
