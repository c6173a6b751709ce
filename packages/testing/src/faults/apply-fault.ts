import type { FaultyConnection } from "@partita/server";
import type { FaultKind } from "./fault.ts";

/**
 * Causes a fault on the connection of a request. A server cannot prevent that a request is sent, so for `refused` and
 * `unsent` it closes the connection without a response.
 */
export function applyFault(kind: FaultKind, connection: FaultyConnection): void {
  const { socket, response, success } = connection;
  switch (kind) {
    case "refused":
    case "unsent":
      socket?.destroy();
      break;
    case "reset":
      // A TLS socket cannot be reset, so it is closed without the alert that ends a stream.
      if (socket !== null && "encrypted" in socket) socket.destroy();
      else socket?.resetAndDestroy();
      break;
    case "crash":
      connection.endAll();
      break;
    case "timeout":
      // Send no response; the client ends the request at its time limit.
      break;
    case "truncated":
      response.writeHead(success.status, { "content-type": success.type, "content-length": "5000" });
      response.write(success.text, () => socket?.destroy());
      break;
    case "garbage":
      sendPage(connection, 200, "Welcome");
      break;
    case "bad-gateway":
      sendPage(connection, 502, "Bad gateway");
      break;
    case "gateway-timeout":
      sendPage(connection, 504, "Gateway timeout");
      break;
    case "error":
      connection.refuse("InternalError");
      break;
    case "operation-timed-out":
      connection.refuse("OperationTimedOut");
      break;
    case "request-timeout":
      connection.refuse("RequestTimeout");
      break;
    case "busy":
      connection.refuse("ServerBusy");
      break;
    case "throttled":
      connection.refuse("TooManyRequests");
      break;
    default:
      kind satisfies never;
  }
}

/** Sends an HTML page, as a proxy does. */
const sendPage = ({ response }: FaultyConnection, status: number, title: string): void =>
  void response.writeHead(status, { "content-type": "text/html" }).end(`<html><body>${title}</body></html>`);
