import type { Exchange, RawRequest } from "./exchange.ts";

/** Time limits in milliseconds. */
export interface TimeLimits {
  readonly connectMs: number;
  /** From handing a request over to the end of its answer. */
  readonly readMs: number;
  readonly writeMs: number;
  /** Between two pieces of an answer that has begun. */
  readonly idleMs: number;
}

/** What a transport is called in options: undici, or Node's own HTTP client. */
export type TransportName = "undici" | "http";

/** What carries requests: it begins one, and reports to the exchange what becomes of it. */
export interface Transport {
  dispatch(request: RawRequest, exchange: Exchange): void;
  /** Ends when the requests under way have ended. */
  close(): Promise<void>;
}

/** Connections of one account at once. */
export const maxConnections = 64;

/** How long a connection is kept that nobody uses. */
export const keepAliveMs = 30_000;

/** Bytes of an answer's headers at most. */
export const maxHeaderBytes = 16_384;
