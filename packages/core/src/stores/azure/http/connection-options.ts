import type { AddHeaders } from "./added-headers.ts";
import { accepted, aFunction, oneOf } from "../../../values/options/checks.ts";
import type { Check, Checks } from "../../../values/options/define-options.ts";

/** Sends requests: a `Dispatcher` of undici 7 or later. */
export interface RequestDispatcher {
  dispatch(options: object, handler: object): boolean;
}

/** Options for connections to a service. */
export interface ConnectionOptions {
  /**
   * The proxy's URL, or false for no proxy. By default, the environment variables `HTTPS_PROXY`, `HTTP_PROXY` and
   * `NO_PROXY` (or their lower-case forms) apply, except to this machine.
   *
   * ```ts
   * const proxy = "http://proxy.example:8080";
   * const storage = await openStorage("UseDevelopmentStorage=true", { proxy });
   * ```
   */
  readonly proxy?: string | false | undefined;
  /**
   * The HTTP client: undici, or Node's own (`"http"`), which starts sooner but takes more CPU time per request. By
   * default undici if it can be loaded when the first service is opened, and `"http"` otherwise, as in most bundles.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { transport: "http" });
   * ```
   */
  readonly transport?: "undici" | "http" | undefined;
  /**
   * Sends the requests instead of the storage's own connections: an `Agent` or `ProxyAgent` of undici 7 or later, with
   * its own certificates and limits. It must send each request once and must not follow redirects. Closing the storage
   * does not close the dispatcher.
   *
   * ```ts
   * import { Agent } from "undici";
   *
   * const dispatcher = new Agent({ connections: 10 });
   * const storage = await openStorage("UseDevelopmentStorage=true", { dispatcher });
   * ```
   */
  readonly dispatcher?: RequestDispatcher | undefined;
  /**
   * The first part of each request's `User-Agent`, such as `shop/1.2`. The service's logs show it. Up to 64 letters,
   * digits and `. _ - /`.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { applicationId: "shop/1.2" });
   * ```
   */
  readonly applicationId?: string | undefined;
  /**
   * Returns headers to add to a request, such as an id of the work that it belongs to. It is called for each request, and
   * again for each retry. Partita's own headers can't be replaced, except `x-ms-client-request-id`, which the service's
   * logs show.
   *
   * ```ts
   * const headers = () => ({ "x-correlation-id": "order-7" });
   * const storage = await openStorage("UseDevelopmentStorage=true", { headers });
   * ```
   */
  readonly headers?: AddHeaders | undefined;
}

const aDispatcher: Check<RequestDispatcher> = {
  takes: "an undici dispatcher",
  accepts: (value) => typeof (value as Partial<RequestDispatcher> | null)?.dispatch === "function",
};

export const connectionChecks: Checks<ConnectionOptions> = {
  // The URL itself is checked on use: it may contain a password, which this check would print.
  proxy: accepted(
    "a proxy URL, or false",
    (value) => value === false || (typeof value === "string" && value !== ""),
  ),
  transport: oneOf("undici", "http"),
  dispatcher: aDispatcher,
  headers: aFunction,
  applicationId: accepted(
    "up to 64 letters, digits and . _ - /",
    (value) => typeof value === "string" && /^[\w./-]{1,64}$/.test(value),
  ),
};
