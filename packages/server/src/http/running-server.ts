import type { DrainOptions } from "./drain-options.ts";

/** The services of an account that this package can serve. */
export type ServiceName = "table" | "queue" | "blob";

/** A service on this machine. */
export interface RunningServer extends AsyncDisposable {
  /** The type of service. */
  readonly service: ServiceName;
  /** The account's URL: `http://127.0.0.1:port/account`, or https with the server's host. */
  readonly url: string;
  /** The port it listens on. */
  readonly port: number;
  /** The account's name. */
  readonly account: string;
  /** The account's key, in base64. */
  readonly key: string;
  /** For `openStorage`, `openQueues` or `openPageBlob`, and for other clients of the service. */
  readonly connectionString: string;
  /**
   * Stops the server without losing requests. First, `/health` responds with 503, so a load balancer sends no more
   * requests, and every response ends its connection. After `acceptMs`, the server refuses connections, closes those
   * without a request, and closes itself when the requests in progress have ended. `close` ends a drain immediately.
   *
   * ```ts
   * const server = await startTableServer();
   * await server.drain({ finishMs: 1000 });
   * ```
   *
   * @throws OptionError `server.option`
   */
  drain(options?: DrainOptions): Promise<void>;
  /** Closes every connection; requests in progress may lose their response. */
  close(): Promise<void>;
}
