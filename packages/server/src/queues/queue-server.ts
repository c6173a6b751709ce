import type { QueueStorage } from "@partita/queues";

/** A queue service on this machine. */
export interface QueueServer extends AsyncDisposable {
  /** Which service of an account it is. */
  readonly service: "queue";
  /** The account's URL: `http://127.0.0.1:port/account`, or https and the server's host. */
  readonly url: string;
  readonly port: number;
  readonly account: string;
  readonly key: string;
  /** For `openQueues`, and for every client of the service. */
  readonly connectionString: string;
  /**
   * Puts queues of your own between the server and the queues it serves, such as ones that count requests or let them fail.
   * They replace those that were there before. Metadata and settings do not go through them.
   *
   * @returns what `wrap` returns
   */
  wrapQueues<Wrapped extends QueueStorage>(wrap: (queues: QueueStorage) => Wrapped): Wrapped;
  /** Ends every connection; requests that are being answered may lose their answer. */
  close(): Promise<void>;
}
