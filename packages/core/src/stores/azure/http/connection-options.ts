import { accepted, oneOf } from "../../../values/options/checks.ts";
import type { Check, Checks } from "../../../values/options/define-options.ts";

/** What sends requests: a `Dispatcher` of undici 7 or later. */
export interface RequestDispatcher {
  dispatch(options: object, handler: object): boolean;
}

/** How requests get to a service. */
export interface ConnectionOptions {
  /**
   * The proxy: its URL, or false for none. By default what `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name (or the same in
   * lower case), but never for this machine itself.
   *
   * ```ts
   * const proxy = "http://proxy.example:8080";
   * const storage = await openStorage("UseDevelopmentStorage=true", { proxy });
   * ```
   */
  readonly proxy?: string | false | undefined;
  /**
   * What makes connections: undici, or Node's own HTTP client (`"http"`), which starts sooner and takes more CPU time for each
   * request. By default undici if it can be loaded when the first service is opened, and `"http"` otherwise, as in most bundles.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { transport: "http" });
   * ```
   */
  readonly transport?: "undici" | "http" | undefined;
  /**
   * Sends the requests, in place of connections of the storage's own: an `Agent` or `ProxyAgent` of undici 7 or later, with
   * its certificates and limits. It must send each request once, without following redirects. Who made it closes it, when the
   * storage is closed.
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
   * Stands first in the `User-Agent` of each request, such as `shop/1.2`: the service's logs show it.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { applicationId: "shop/1.2" });
   * ```
   */
  readonly applicationId?: string | undefined;
}

const aDispatcher: Check<RequestDispatcher> = {
  takes: "a dispatcher of undici",
  accepts: (value) => typeof (value as Partial<RequestDispatcher> | null)?.dispatch === "function",
};

export const connectionChecks: Checks<ConnectionOptions> = {
  // Whether a text is a URL is found out where it is used: it may have a password, which errors must not show.
  proxy: accepted(
    "the URL of a proxy, or false",
    (value) => value === false || (typeof value === "string" && value !== ""),
  ),
  transport: oneOf("undici", "http"),
  dispatcher: aDispatcher,
  applicationId: accepted(
    "up to 64 letters, digits and . _ - /",
    (value) => typeof value === "string" && /^[\w./-]{1,64}$/.test(value),
  ),
};
