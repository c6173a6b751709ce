/** A request to queues, as `@partita/queues` publishes it in `partita:queue`. */
export interface QueueEvent {
  /** The method: `put`, `receive`. */
  readonly type: string;
  /** Absent for a list of queues. */
  readonly queue?: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** Where the queues are. */
  readonly storage: string;
  /** Messages that were received or shown; there when such a request has ended. */
  readonly messages?: number;
}
