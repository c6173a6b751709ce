import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ServerCode } from "./server-codes.ts";

/** The start of a response. */
export interface ResponseBeginning {
  /** Its HTTP status. */
  readonly status: number;
  /** Its `Content-Type`. */
  readonly type: string;
  /** The first characters of its body. */
  readonly text: string;
}

/** The connection of a request that gets no normal response. */
export interface FaultyConnection {
  /** Null once the client has left. */
  readonly socket: Socket | null;
  /** Nothing was sent yet. */
  readonly response: ServerResponse;
  /** The start of the response to this request if it had succeeded. */
  readonly success: ResponseBeginning;
  /** Sends an error of the service. */
  refuse(code: ServerCode): void;
  /** Ends every connection of the server. */
  endAll(): void;
}

/**
 * An error of a storage, or of queues, that controls the client's connection: the server calls `applyTo` instead of
 * sending a response. `withFaults` of `@partita/testing` makes such errors.
 */
export interface ConnectionFault extends Error {
  /** Causes the fault on the connection. */
  applyTo(connection: FaultyConnection): void;
}

/** Whether an error controls the connection itself. */
export const isConnectionFault = (error: unknown): error is ConnectionFault =>
  typeof (error as Partial<ConnectionFault> | null | undefined)?.applyTo === "function";
