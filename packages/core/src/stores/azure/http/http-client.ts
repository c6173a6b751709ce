import { refusedOption } from "../../../values/options/define-options.ts";
import { variable } from "../../../values/options/variable.ts";
import type { Clock } from "../../../storage/clock.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { Exchange, type RawResponse, type RawRequest } from "./exchange.ts";
import { openTransport } from "./choose-transport.ts";
import type { ServicePlace } from "../service.ts";
import type { TimeLimits } from "./transport.ts";
import { sendBy } from "./undici-transport.ts";

/** Sends each request to one origin once, over keep-alive connections, without redirects or pipelining. */
export interface HttpClient {
  send(request: RawRequest): Promise<RawResponse>;
  close(): Promise<void>;
}

const proxyVariables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

/** Opens a client. It connects on the first request. */
export async function openHttpClient(
  place: ServicePlace,
  limits: TimeLimits,
  clock: Clock,
  { proxy: option, dispatcher, transport: name }: ConnectionOptions = {},
): Promise<HttpClient> {
  const { origin, service } = place;
  if (dispatcher !== undefined && name !== undefined)
    throw refusedOption(
      "storage.option",
      `${service.opener}(target, options)`,
      "transport",
      "no value when a dispatcher is set",
    );
  // Loaded only if a proxy may be configured.
  const mayHaveProxy = option ?? (dispatcher === undefined && proxyVariables.some(variable));
  const proxy = mayHaveProxy
    ? (await import("./choose-proxy.ts")).chooseProxy(origin, option, dispatcher)
    : undefined;
  const transport =
    dispatcher === undefined
      ? await openTransport(origin, limits, proxy, name)
      : sendBy(dispatcher, origin, () => Promise.resolve());
  const reached: ServicePlace = proxy === undefined ? place : { ...place, proxy: proxy.shown };
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const limitMs = request.limitMs ?? (request.isWrite ? limits.writeMs : limits.readMs);
        const exchange = new Exchange({ place: reached, request, limitMs, clock }, resolve, reject);
        try {
          transport.dispatch(request, exchange);
        } catch (error) {
          exchange.fail(error);
        }
      }),
    close: () => transport.close(),
  };
}
