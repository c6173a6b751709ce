import type { OptionError } from "../../values/errors/option-error.ts";
import { accepted, oneOf, optionsOf, trueOrFalse } from "../../values/options/checks.ts";
import {
  type Check,
  type CheckOptions,
  type Checks,
  defineOptions,
  refusedOption,
} from "../../values/options/define-options.ts";
import { aClock, type Clock } from "../../storage/clock.ts";
import type { Credential } from "./credentials/credential.ts";
import { connectionChecks, type ConnectionOptions } from "./http/connection-options.ts";
import type { TimeLimits } from "./http/transport.ts";
import type { SharedKeyScheme } from "./credentials/sign-request.ts";
import type { MetadataLevel } from "./wire/wire-format.ts";

/** Options of a service. */
export interface RestOptions extends ConnectionOptions {
  /**
   * Account keys, a shared access signature or a token credential, if the target has none.
   *
   * ```ts
   * const credential = { accountName: "shop", accountKey: "c2VjcmV0" };
   * const storage = await openStorage("https://shop.table.core.windows.net", { credential });
   * ```
   */
  readonly credential?: Credential | undefined;
  /**
   * The scheme for signing with a key; default `SharedKeyLite`, as in the service's own clients.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { signature: "SharedKey" });
   * ```
   */
  readonly signature?: SharedKeyScheme | undefined;
  /**
   * The protocol version, `x-ms-version`. The default is `2019-02-02`, or `2020-12-06` with tokens, or `2015-07-08` for
   * Atom.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { protocolVersion: "2015-12-11" });
   * ```
   */
  readonly protocolVersion?: string | undefined;
  /**
   * The format of entities: JSON (default), or Atom, for versions up to 2015-07-08.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { format: "atom" });
   * ```
   */
  readonly format?: "json" | "atom" | undefined;
  /**
   * The metadata in JSON responses: `minimal` (default) has types and ETags, `full` adds links. `none` is shorter and
   * has neither: use it only to read text, Int32 and Boolean, and not for entities that you will change.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { metadata: "full" });
   * ```
   */
  readonly metadata?: MetadataLevel | undefined;
  /**
   * Sends PUT, MERGE and DELETE as POST with `X-HTTP-Method`, for proxies that block these methods.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { tunnelMethods: true });
   * ```
   */
  readonly tunnelMethods?: boolean | undefined;
  /**
   * `"strong"` if your Cosmos DB account has this consistency. Only then values can be unique `over: "table"` there; the
   * default consistency of Cosmos DB lets a program read older rows than another one has stored.
   *
   * ```ts
   * const credential = { accountName: "shop", accountKey: "c2VjcmV0" };
   * const target = "https://shop.table.cosmos.azure.com";
   * const storage = await openStorage(target, { credential, consistency: "strong" });
   * ```
   */
  readonly consistency?: "strong" | undefined;
  /**
   * Allows an `http:` endpoint on another machine. Keys only sign requests: the data is sent unencrypted.
   *
   * ```ts
   * const credential = { accountName: "shop", accountKey: "c2VjcmV0" };
   * const storage = await openStorage("http://tables.example/shop", { credential, allowInsecure: true });
   * ```
   */
  readonly allowInsecure?: boolean | undefined;
  /**
   * Time limits in milliseconds, above 0 or Infinity: for connecting (default 5000), a complete read (10000), a
   * complete write (20000), and between two chunks of a response (10000).
   *
   * ```ts
   * const timeouts = { connectMs: 2000, readMs: 5000 };
   * const storage = await openStorage("UseDevelopmentStorage=true", { timeouts });
   * ```
   */
  readonly timeouts?: { readonly [Name in keyof TimeLimits]?: TimeLimits[Name] | undefined } | undefined;
  /**
   * The clock for the limits of requests (`readMs`, `writeMs`), and for Timestamps in the embedded store; by default
   * this machine's. A test passes its own.
   *
   * ```ts
   * import { systemClock } from "@partita/core/rest";
   *
   * const storage = await openStorage("UseDevelopmentStorage=true", { clock: systemClock });
   * ```
   */
  readonly clock?: Clock | undefined;
}

/**
 * The service's next version no longer supports Atom. Source: learn.microsoft.com "Payload format for Table service
 * operations".
 */
const lastAtomVersion = "2015-07-08";

/** @throws OptionError `storage.option` for a version that does not match the other options */
export function versionOf({ protocolVersion, format, credential }: RestOptions): string {
  const hasToken = credential !== undefined && "getToken" in credential;
  const initial = format === "atom" ? lastAtomVersion : hasToken ? "2020-12-06" : "2019-02-02";
  const version = protocolVersion ?? initial;
  if (format === "atom" && version > lastAtomVersion)
    throw refusedVersion(`up to ${lastAtomVersion} with the format "atom"`);
  if (format !== "atom" && version < "2013-08-15")
    throw refusedVersion(
      '2013-08-15 or later with the format JSON; for an older version, pass format: "atom"',
    );
  return version;
}

const refusedVersion = (takes: string): OptionError =>
  refusedOption("storage.option", "openStorage(target, options)", "protocolVersion", `a version ${takes}`);

/** All limits, with defaults. */
export const timeLimitsOf = ({
  connectMs,
  readMs,
  writeMs,
  idleMs,
}: RestOptions["timeouts"] = {}): TimeLimits => ({
  connectMs: Math.min(connectMs ?? 5_000, longestMs),
  readMs: Math.min(readMs ?? 10_000, longestMs),
  writeMs: Math.min(writeMs ?? 20_000, longestMs),
  idleMs: Math.min(idleMs ?? 10_000, longestMs),
});

/** The longest delay of a Node timer; a longer one would fire immediately. */
const longestMs = 2 ** 31 - 1;

const timeLimit: Check<number> = {
  takes: "milliseconds above 0, or Infinity",
  accepts: (ms) => typeof ms === "number" && ms > 0,
};

const checkTimeLimits: CheckOptions = defineOptions<TimeLimits>(
  "timeouts",
  { connectMs: timeLimit, readMs: timeLimit, writeMs: timeLimit, idleMs: timeLimit },
  "storage.option",
);

/** Checks of each option. */
export const restChecks: Checks<RestOptions> = {
  credential: accepted("a credential", (value) => typeof value === "object" && value !== null),
  signature: oneOf("SharedKey", "SharedKeyLite"),
  protocolVersion: accepted(
    "a date such as 2019-02-02",
    (value) => typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value),
  ),
  format: oneOf("json", "atom"),
  metadata: oneOf("none", "minimal", "full"),
  tunnelMethods: trueOrFalse,
  consistency: oneOf("strong"),
  allowInsecure: trueOrFalse,
  timeouts: optionsOf(checkTimeLimits),
  clock: aClock,
  ...connectionChecks,
};
