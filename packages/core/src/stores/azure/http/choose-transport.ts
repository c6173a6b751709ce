import type * as Undici from "undici";
import { StorageError } from "../../../values/errors/storage-error.ts";
import type { Proxy } from "./choose-proxy.ts";
import { openNodeHttp } from "./node-http-transport.ts";
import type { TimeLimits, Transport, TransportName } from "./transport.ts";
import { openUndici } from "./undici-transport.ts";

/**
 * Opens connections to one origin, through a proxy if there is one: by undici if it can be loaded, or else by `node:http`, or
 * by the one that an option names.
 *
 * @throws StorageError `storage.transport` when undici was requested and cannot be loaded
 */
export async function openTransport(
  origin: string,
  limits: TimeLimits,
  proxy: Proxy | undefined,
  name: TransportName | undefined,
): Promise<Transport> {
  const undici = name === "http" ? undefined : await loadUndici();
  if (undici !== undefined) return openUndici(undici, origin, limits, proxy);
  if (name === "undici") throw missingUndici();
  return openNodeHttp(origin, limits, proxy);
}

let loading: Promise<typeof Undici | undefined> | undefined;

/** Loads undici with the first service; all services of the process then use it, or do without it. */
const loadUndici = (): Promise<typeof Undici | undefined> =>
  (loading ??= importAtRunTime("undici").then(usableUndici, () => undefined));

/**
 * Imports a package in a way that no bundler follows: in a bundle, undici costs more time at the start than it saves later, and
 * some bundles can't load it at all.
 */
const importAtRunTime = (name: string): Promise<unknown> =>
  import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);

/** Leaves out versions before 7, whose handlers have other methods, and Bun's replacement, whose classes have none. */
function usableUndici(loaded: unknown): typeof Undici | undefined {
  const undici = loaded as Partial<typeof Undici>;
  const isUsable =
    has(undici.Pool, "dispatch") &&
    has(undici.ProxyAgent, "dispatch") &&
    has(undici.DecoratorHandler, "onRequestStart");
  return isUsable ? (undici as typeof Undici) : undefined;
}

const has = (type: { readonly prototype: object } | undefined, method: string): boolean =>
  type !== undefined && method in type.prototype;

const missingUndici = (): StorageError =>
  new StorageError(
    "storage.transport",
    'The transport "undici" needs undici 7 or later, which cannot be loaded here. Install it next to this program, or leave the option out to use node:http.',
    { applied: "no" },
  );
