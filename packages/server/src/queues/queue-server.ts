import type { QueueStorage } from "@partita/queues";
import type { RunningServer } from "../http/running-server.ts";

/** A queue service on this machine. */
export interface QueueServer extends RunningServer {
  readonly service: "queue";
  /**
   * Wraps the served queues, for example to count requests or to inject faults. A later call replaces the wrapper.
   * Metadata and settings do not go through it.
   *
   * @param wrap - receives the unwrapped queues
   * @returns the result of `wrap`
   */
  wrapQueues<Wrapped extends QueueStorage>(wrap: (queues: QueueStorage) => Wrapped): Wrapped;
}
