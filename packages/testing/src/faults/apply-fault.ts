import type { FaultyConnection } from "@partita/server";
import type { FaultKind } from "./fault.ts";

/**
 * Makes a fault on the connection of a request. A server cannot imitate what is never sent: `refused` and `unsent` are a
 * connection that is closed without a word.
 */
export function applyFault(kind: FaultKind, connection: FaultyConnection): void {
  const { socket, response, success } = connection;
  switch (kind) {
    case "refused":
    case "unsent":
      socket?.destroy();
      break;
    case "reset":
      // A TLS socket cannot be reset: it breaks off without the alert that ends a stream.
      if (socket !== null && "encrypted" in socket) socket.destroy();
      else socket?.resetAndDestroy();
      break;
    case "crash":
      connection.endAll();
      break;
    case "timeout":
      // No answer ever: the client ends the request at its own time limit.
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

/** The page of a proxy. */
const sendPage = ({ response }: FaultyConnection, status: number, title: string): void =>
  void response.writeHead(status, { "content-type": "text/html" }).end(`<html><body>${title}</body></html>`);
