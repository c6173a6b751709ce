import type { Block } from "../blocks/block.ts";
import type { LeaseHeadOptions, SignalOptions } from "./read-options.ts";

/**
 * A block that this program has leased with `leaseHead`. If it neither renews the lease nor ends the work in time,
 * another program gets the block.
 *
 * ```ts
 * const queue = await files.create("/queue");
 * await queue.append("first");
 * const lease = await queue.leaseHead({ for: 30_000 });
 * await lease?.renew({ for: 60_000 });
 * await lease?.done();
 * console.log(await queue.blockCount()); // → 0
 * ```
 */
export interface BlockLease {
  readonly block: Block;

  /** The end of the lease, by the clock of the program that leased the block. */
  readonly until: Date;

  /** Extends the lease, from now on. @throws FileError `file.lease-lost` if another program has the block */
  renew(options: LeaseHeadOptions): Promise<void>;

  /** Deletes the block. @throws FileError `file.lease-lost` if another program has the block, or deleted it */
  done(options?: SignalOptions): Promise<void>;

  /** Ends the lease, so another program gets the block. @throws FileError `file.lease-lost` */
  release(options?: SignalOptions): Promise<void>;
}
