import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ServerCode } from "./server-codes.ts";

/** How a response begins. */
export interface ResponseBeginning {
  /** Its HTTP status. */
  readonly status: number;
  /** Its `Content-Type`. */
  readonly type: string;
  /** The first characters of its body. */
  readonly text: string;
}

/** The connection of a request that is not answered as the service would answer it. */
export interface FaultyConnection {
  /** Null once the client has left. */
  readonly socket: Socket | null;
  /** Nothing of it has been sent. */
  readonly response: ServerResponse;
  /** How the response to a request begins that succeeded. */
  readonly success: ResponseBeginning;
  /** Sends an error of the service. */
  refuse(code: ServerCode): void;
  /** Ends every connection of the server. */
  endAll(): void;
}

/**
 * An error of a storage, or of queues, that decides what the client sees: the server calls `applyTo` instead of sending a
 * response. `withFaults` of `@partita/testing` makes such errors.
 */
export interface ConnectionFault extends Error {
  /** Does to the connection what the client should see. */
  applyTo(connection: FaultyConnection): void;
}

/** Whether an error decides itself what the client sees. */
export const isConnectionFault = (error: unknown): error is ConnectionFault =>
  typeof (error as Partial<ConnectionFault> | null | undefined)?.applyTo === "function";
