/** A request to queues, as published by `@partita/queues` in `partita:queue`. */
export interface QueueEvent {
  /** The method: `put`, `receive`. */
  readonly type: string;
  /** Absent for a list of queues. */
  readonly queue?: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** The address of the queues. */
  readonly storage: string;
  /** Number of messages that were received or peeked. Present after such a request has ended. */
  readonly messages?: number;
}
