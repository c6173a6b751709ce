import type * as Undici from "undici";
import type { Proxy } from "./choose-proxy.ts";
import type { RequestDispatcher } from "./connection-options.ts";
import type { Exchange, RawResponse } from "./exchange.ts";
import { keepAliveMs, maxConnections, maxHeaderBytes, type TimeLimits, type Transport } from "./transport.ts";

/** Opens a pool of undici's connections, through a proxy if there is one. */
export function openUndici(
  undici: typeof Undici,
  origin: string,
  limits: TimeLimits,
  proxy: Proxy | undefined,
): Transport {
  const settings: Undici.Pool.Options = {
    connections: maxConnections,
    pipelining: 1,
    // What "sent once" means is reasoned for HTTP/1.1.
    allowH2: false,
    connect: { timeout: limits.connectMs },
    keepAliveTimeout: keepAliveMs,
    // The limits of a whole request are kept by its exchange, so that every end of time is one kind of error.
    headersTimeout: 0,
    bodyTimeout: limits.idleMs,
    maxHeaderSize: maxHeaderBytes,
  };
  const dispatcher =
    proxy === undefined
      ? new undici.Pool(origin, settings)
      : new undici.ProxyAgent({
          ...settings,
          uri: proxy.url,
          connectTimeout: limits.connectMs,
          // Undici waits five minutes for a proxy's answer, and its close() with it.
          clientFactory: (url, options) =>
            new undici.Pool(url, { ...options, headersTimeout: limits.connectMs }),
          // Through a tunnel, the proxy sees a host's name, and an answer of its own is never taken for the service's.
          proxyTunnel: true,
        });
  return sendBy(dispatcher, origin, () => dispatcher.close());
}

/** Sends requests by a dispatcher; one of the caller's has limits of its own, beside those of each exchange. */
export const sendBy = (
  dispatcher: RequestDispatcher,
  origin: string,
  close: () => Promise<void>,
): Transport => ({
  dispatch({ method, path, headers, body }, exchange) {
    dispatcher.dispatch({ origin, method, path, headers, body: body ?? null }, new ExchangeHandler(exchange));
  },
  close,
});

/** Reports to an exchange: one object a request, where functions of their own would be five. */
class ExchangeHandler implements Undici.Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  onRequestStart(controller: Undici.Dispatcher.DispatchController): void {
    this.#exchange.start(controller);
  }

  onResponseStart(
    _controller: Undici.Dispatcher.DispatchController,
    status: number,
    headers: RawResponse["headers"],
  ): void {
    this.#exchange.response(status, headers);
  }

  onResponseData(_controller: Undici.Dispatcher.DispatchController, chunk: Buffer): void {
    this.#exchange.data(chunk);
  }

  onResponseEnd(): void {
    this.#exchange.end();
  }

  onResponseError(_controller: Undici.Dispatcher.DispatchController, error: Error): void {
    this.#exchange.fail(error);
  }
}
