import type { Exchange, RawRequest } from "./exchange.ts";

/** Time limits in milliseconds. */
export interface TimeLimits {
  readonly connectMs: number;
  /** From the start of a read until its response is complete; `writeMs` is the same for a write. */
  readonly readMs: number;
  readonly writeMs: number;
  /** Between two chunks of a response. */
  readonly idleMs: number;
}

/** The HTTP client, as named in options: undici, or Node's own. */
export type TransportName = "undici" | "http";

/** Sends requests, and reports the progress of each to its exchange. */
export interface Transport {
  dispatch(request: RawRequest, exchange: Exchange): void;
  /** Resolves once the requests in progress have ended. */
  close(): Promise<void>;
}

/** Maximum number of concurrent connections to one account. */
export const maxConnections = 64;

/** How long an idle connection stays open. */
export const keepAliveMs = 30_000;

/** Maximum size of a response's headers, in bytes. */
export const maxHeaderBytes = 16_384;
