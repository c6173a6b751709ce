import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import pg, { type ClientConfig, type Pool } from "pg";
import { malformed } from "./target.ts";

/** @throws StorageError `storage.unknown-target` for parameters that the library refuses */
export function createPool(connectionString: string, max: number, connectionTimeoutMillis: number): Pool {
  try {
    // A pool would read the certificates that the target names only for its first connection.
    void new pg.Client({ connectionString });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw malformed(
      code === undefined
        ? "The target has a parameter that the library pg refuses"
        : `The target names a file that cannot be read (${code})`,
    );
  }
  return new pg.Pool({
    Client,
    application_name: "partita",
    connectionString,
    connectionTimeoutMillis,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    max,
  });
}

/**
 * A client of the library that leaves nothing open.
 *
 * If the target has no password, the library reports the failure but leaves the socket open. The process could then not
 * end until the server closes it, after a minute.
 */
export class Client extends pg.Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.#connection.on("error", () => this.destroy());
  }

  /** Ends the connection without waiting for the server, which may no longer be there. */
  destroy(): void {
    this.#connection.stream.destroy();
  }

  get #connection(): EventEmitter & { readonly stream: Socket } {
    return (this as unknown as { connection: EventEmitter & { readonly stream: Socket } }).connection;
  }
}
