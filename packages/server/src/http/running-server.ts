/** The services of an account that have a server here. */
export type ServiceName = "table" | "queue" | "blob";

/** A service on this machine. */
export interface RunningServer extends AsyncDisposable {
  /** Which service of an account it is. */
  readonly service: ServiceName;
  /** The account's URL: `http://127.0.0.1:port/account`, or https and the server's host. */
  readonly url: string;
  /** The port it listens on. */
  readonly port: number;
  /** The account's name. */
  readonly account: string;
  /** The account's key, in base64. */
  readonly key: string;
  /** For `openStorage`, `openQueues` or `openPageBlob`, and for every client of the service. */
  readonly connectionString: string;
  /** Ends every connection; requests that are being answered may lose their answer. */
  close(): Promise<void>;
}
