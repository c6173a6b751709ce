import type { QueueStorage } from "@partita/queues";
import type { RunningServer } from "../http/running-server.ts";

/** A queue service on this machine. */
export interface QueueServer extends RunningServer {
  readonly service: "queue";
  /**
   * Puts queues of your own between the server and the queues it serves, such as ones that count requests or let them fail.
   * They replace those that were there before. Metadata and settings do not go through them.
   *
   * @returns what `wrap` returns
   */
  wrapQueues<Wrapped extends QueueStorage>(wrap: (queues: QueueStorage) => Wrapped): Wrapped;
}
