import type { Socket } from "node:net";
import type { FaultKind } from "../../faults/fault.ts";
import type { Exchange } from "./exchange.ts";
import { headerOf, sendAnswer } from "./send-answer.ts";
import { type ServerCode, ServiceFault } from "../wire/service-fault.ts";

/**
 * Makes a planned fault on the socket of a request. What is never sent cannot be imitated here: `refused` and `unsent`
 * are a connection that is closed without a word.
 *
 * @param crash - closes every connection of the server
 */
export function makeFault(kind: FaultKind, exchange: Exchange, crash: () => void): void {
  const { message, response } = exchange;
  const socket: Socket | null = message.socket;
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
      crash();
      break;
    case "timeout":
      // No answer ever: the client ends the request at its own time limit.
      break;
    case "truncated":
      truncate(exchange);
      break;
    case "garbage":
      response.writeHead(200, { "content-type": "text/html" }).end("<html><body>Welcome</body></html>");
      break;
    case "bad-gateway":
      response.writeHead(502, { "content-type": "text/html" }).end("<html><body>Bad gateway</body></html>");
      break;
    case "gateway-timeout":
      response
        .writeHead(504, { "content-type": "text/html" })
        .end("<html><body>Gateway timeout</body></html>");
      break;
    case "error":
    case "operation-timed-out":
    case "request-timeout":
    case "busy":
    case "throttled":
      refuse(codes[kind], exchange);
      break;
    default:
      kind satisfies never;
  }
}

const codes: Readonly<
  Record<"error" | "operation-timed-out" | "request-timeout" | "busy" | "throttled", ServerCode>
> = {
  error: "InternalError",
  "operation-timed-out": "OperationTimedOut",
  "request-timeout": "RequestTimeout",
  busy: "ServerBusy",
  throttled: "TooManyRequests",
};

function refuse(code: ServerCode, exchange: Exchange): void {
  const request = { header: headerOf(exchange.message), query: new Map() };
  sendAnswer(exchange, exchange.forms.refuse(new ServiceFault(code), request));
}

/** The head of a success and the beginning of what follows it. */
function truncate({ message, response, forms }: Exchange): void {
  const connection: Socket | null = message.socket;
  const { status, type, text } = forms.beginning(message.method ?? "", message.url ?? "");
  response.writeHead(status, { "content-type": type, "content-length": "5000" });
  response.write(text, () => connection?.destroy());
}
