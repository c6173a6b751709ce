import type * as Undici from "undici";
import type { Proxy } from "./choose-proxy.ts";
import type { RequestDispatcher } from "./connection-options.ts";
import type { Exchange, RawResponse } from "./exchange.ts";
import { keepAliveMs, maxConnections, maxHeaderBytes, type TimeLimits, type Transport } from "./transport.ts";

/** Opens a pool of undici connections, through a proxy if there is one. */
export function openUndici(
  undici: typeof Undici,
  origin: string,
  limits: TimeLimits,
  proxy: Proxy | undefined,
): Transport {
  const settings: Undici.Pool.Options = {
    connections: maxConnections,
    pipelining: 1,
    // The rules for "sent once" rely on HTTP/1.1.
    allowH2: false,
    connect: { timeout: limits.connectMs },
    keepAliveTimeout: keepAliveMs,
    // The exchange enforces the request's time limit, so every timeout is reported as the same error.
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
          // Undici waits five minutes for a proxy's response, and so does its close().
          clientFactory: (url, options) =>
            new undici.Pool(url, { ...options, headersTimeout: limits.connectMs }),
          // In a tunnel, the proxy sees only the host's name, and its own responses cannot be mistaken for the
          // service's.
          proxyTunnel: true,
        });
  return sendBy(dispatcher, origin, () => dispatcher.close());
}

/**
 * Sends requests through a dispatcher. A caller's dispatcher has its own limits in addition to those of each exchange.
 */
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

/** Reports to an exchange. One object per request replaces five closures. */
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
