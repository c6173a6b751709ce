import type { ClientRequest, IncomingMessage } from "node:http";
import type { Agent } from "node:https";
import type { Socket } from "node:net";
import type { Proxy } from "./choose-proxy.ts";
import { brokenOff, connectTimeout, idleTimeout } from "./connection-error.ts";
import type { Exchange } from "./exchange.ts";
import { keepAliveMs, maxConnections, maxHeaderBytes, type TimeLimits, type Transport } from "./transport.ts";

/** Opens a pool of Node's HTTP client that behaves like undici's pool, through a proxy if there is one. */
export async function openNodeHttp(
  origin: string,
  limits: TimeLimits,
  proxy: Proxy | undefined,
): Promise<Transport> {
  const isSecure = origin.startsWith("https:");
  // Importing these modules takes ten times as long, since an import evaluates every export.
  const { Agent, request } = process.getBuiltinModule(isSecure ? "node:https" : "node:http");
  const agent = new Agent({
    keepAlive: !sendsAgain,
    maxSockets: maxConnections,
    maxFreeSockets: maxConnections,
    timeout: keepAliveMs,
  });
  if (proxy !== undefined) agent.createConnection = await tunnelsOf(proxy, origin, limits);
  const running = new Set<Promise<void>>();
  return {
    dispatch({ method, path, headers, body }, exchange) {
      const sent = request(origin, { agent, method, path, headers, maxHeaderSize: maxHeaderBytes });
      const ended = carry(sent, exchange, limits, isSecure ? "secureConnect" : "connect");
      running.add(ended);
      void ended.then(() => running.delete(ended));
      sent.end(body);
    },
    async close() {
      await Promise.all(running);
      agent.destroy();
    },
  };
}

/** Deno resends a request if a keep-alive connection turns out to be closed, so a write could be applied twice. */
const sendsAgain = process.versions["deno"] !== undefined;

async function tunnelsOf(
  proxy: Proxy,
  origin: string,
  { connectMs }: TimeLimits,
): Promise<Agent["createConnection"]> {
  const { openTunnel } = await import("./proxy-tunnel.ts");
  const to = new URL(origin);
  return (_options, callback) => {
    openTunnel(proxy, to, connectMs).then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as never),
    );
    return undefined;
  };
}

/** Reports the result of a request; resolves when its connection is free or closed. */
function carry(
  sent: ClientRequest,
  exchange: Exchange,
  { connectMs, idleMs }: TimeLimits,
  connected: string,
): Promise<void> {
  const abort = (error: Error): void => void sent.destroy(error);
  sent.on("socket", (socket: Socket) => {
    if (!socket.connecting) return exchange.start({ abort });
    const timer = setTimeout(() => abort(connectTimeout()), connectMs);
    socket.once(connected, () => exchange.start({ abort }));
    for (const event of [connected, "close"]) socket.once(event, () => clearTimeout(timer));
  });
  sent.on("response", (response) => receive(response, exchange, idleMs, abort));
  sent.on("error", (error) => exchange.fail(error));
  return new Promise((resolve) => sent.on("close", resolve));
}

function receive(
  response: IncomingMessage,
  exchange: Exchange,
  idleMs: number,
  abort: (error: Error) => void,
): void {
  const idle = setTimeout(() => {
    const error = idleTimeout();
    exchange.fail(error);
    abort(error);
  }, idleMs);
  exchange.response(response.statusCode ?? 0, response.headers);
  response.on("data", (chunk: Buffer) => {
    idle.refresh();
    exchange.data(chunk);
  });
  response.on("end", () => exchange.end());
  response.on("error", (error) => exchange.fail(error));
  response.on("close", () => {
    clearTimeout(idle);
    // Has no effect after a complete response.
    if (!response.complete) exchange.fail(brokenOff());
  });
}
