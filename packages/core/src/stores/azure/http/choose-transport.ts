import type * as Undici from "undici";
import { StorageError } from "../../../values/errors/storage-error.ts";
import type { Proxy } from "./choose-proxy.ts";
import { openNodeHttp } from "./node-http-transport.ts";
import type { TimeLimits, Transport, TransportName } from "./transport.ts";
import { openUndici } from "./undici-transport.ts";

/**
 * Opens connections to one origin, through its proxy if there is one. Uses the transport that the option names; by
 * default undici if it can be loaded, and `node:http` otherwise.
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

/** Runs once per process, when the first service is opened. Later services use the same result. */
const loadUndici = (): Promise<typeof Undici | undefined> =>
  (loading ??= importAtRunTime("undici").then(usableUndici, () => undefined));

/**
 * Imports a package without letting bundlers follow the import: in a bundle, undici costs more start-up time than it
 * saves later, and some bundles can't load it at all.
 */
const importAtRunTime = (name: string): Promise<unknown> =>
  import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);

/** Rejects versions before 7, whose handlers have other methods, and Bun's replacement, whose classes have none. */
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
    'The transport "undici" needs undici 7 or later, which cannot be loaded. Install it in this program, or leave the option out to use node:http.',
    { applied: "no" },
  );
