import type { Dispatcher } from "undici";
import type { Exchange, RawAnswer } from "./exchange.ts";
import { keepAliveMs, maxConnections, maxHeaderBytes, type TimeLimits, type Transport } from "./transport.ts";

/** Opens a pool of undici's; undefined where there is no undici that can do what is needed. */
export async function openUndici(origin: string, limits: TimeLimits): Promise<Transport | undefined> {
  // esbuild's ESM output cannot require Node's modules, which undici does when it loads.
  const { Pool } = (await import("undici").catch(() => undefined)) ?? {};
  // Bun puts classes without methods in the place of undici's.
  if (Pool === undefined || !("dispatch" in Pool.prototype)) return undefined;
  const pool = new Pool(origin, {
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
  });
  return {
    dispatch({ method, path, headers, body }, exchange) {
      pool.dispatch(
        { method: method as Dispatcher.HttpMethod, path, headers, body: body ?? null },
        new ExchangeHandler(exchange),
      );
    },
    close: () => pool.close(),
  };
}

/** Reports to an exchange: one object a request, where functions of their own would be five. */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#exchange.start(controller);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: RawAnswer["headers"],
  ): void {
    this.#exchange.answer(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#exchange.data(chunk);
  }

  onResponseEnd(): void {
    this.#exchange.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#exchange.fail(error);
  }
}
