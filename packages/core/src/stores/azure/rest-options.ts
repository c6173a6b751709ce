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

/** Settings of a service. */
export interface RestOptions extends ConnectionOptions {
  /**
   * Who asks, where the target does not say it: account keys, a shared access signature, or a token credential.
   *
   * ```ts
   * const credential = { accountName: "shop", accountKey: "c2VjcmV0" };
   * const storage = await openStorage("https://shop.table.core.windows.net", { credential });
   * ```
   */
  readonly credential?: Credential | undefined;
  /**
   * How requests are signed with a key; default `SharedKeyLite`, as the service's own clients do.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { signature: "SharedKey" });
   * ```
   */
  readonly signature?: SharedKeyScheme | undefined;
  /**
   * Protocol version, `x-ms-version`; default `2019-02-02`, with tokens `2020-12-06`, for Atom `2015-07-08`.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { protocolVersion: "2015-12-11" });
   * ```
   */
  readonly protocolVersion?: string | undefined;
  /**
   * What entities are written in: JSON (default), or Atom, which versions up to 2015-07-08 speak.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { format: "atom" });
   * ```
   */
  readonly format?: "json" | "atom" | undefined;
  /**
   * What JSON answers have beside values: `minimal` (default) has types and ETags, `full` links too. `none` is shorter
   * and has neither: for reading text, Int32 and Boolean only, and not for changing what was queried.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { metadata: "full" });
   * ```
   */
  readonly metadata?: MetadataLevel | undefined;
  /**
   * Sends PUT, MERGE and DELETE as a POST that names them, for proxies that let nothing else through.
   *
   * ```ts
   * const storage = await openStorage("UseDevelopmentStorage=true", { tunnelMethods: true });
   * ```
   */
  readonly tunnelMethods?: boolean | undefined;
  /**
   * Lets an `http:` endpoint be other than this machine: keys sign, but data travels in clear.
   *
   * ```ts
   * const credential = { accountName: "shop", accountKey: "c2VjcmV0" };
   * const storage = await openStorage("http://tables.example/shop", { credential, allowInsecure: true });
   * ```
   */
  readonly allowInsecure?: boolean | undefined;
  /**
   * Time limits in milliseconds: connecting (default 5000), a whole read (10000), a whole write (20000), and between
   * two pieces of an answer (10000).
   *
   * ```ts
   * const timeouts = { connectMs: 2000, readMs: 5000 };
   * const storage = await openStorage("UseDevelopmentStorage=true", { timeouts });
   * ```
   */
  readonly timeouts?: { readonly [Name in keyof TimeLimits]?: TimeLimits[Name] | undefined } | undefined;
  /**
   * What counts the limits of requests (`readMs`, `writeMs`), and in the embedded store the time for Timestamps; default
   * the clock of this machine. A test passes its own.
   *
   * ```ts
   * import { systemClock } from "@partita/core/rest";
   *
   * const storage = await openStorage("UseDevelopmentStorage=true", { clock: systemClock });
   * ```
   */
  readonly clock?: Clock | undefined;
}

/** Atom ended with the version after this one. Source: learn.microsoft.com "Payload format for Table service operations". */
const lastAtomVersion = "2015-07-08";

/** @throws OptionError `storage.option` for a version that does not fit the rest */
export function versionOf({ protocolVersion, format, credential }: RestOptions): string {
  const hasToken = credential !== undefined && "getToken" in credential;
  const initial = format === "atom" ? lastAtomVersion : hasToken ? "2020-12-06" : "2019-02-02";
  const version = protocolVersion ?? initial;
  if (format === "atom" && version > lastAtomVersion)
    throw refusedVersion(`up to ${lastAtomVersion} where the format is "atom"`);
  if (format !== "atom" && version < "2013-08-15")
    throw refusedVersion('from 2013-08-15 on where the format is JSON; before it, say format: "atom"');
  return version;
}

const refusedVersion = (takes: string): OptionError =>
  refusedOption("storage.option", "openStorage(target, options)", "protocolVersion", `a version ${takes}`);

/** Every limit, decided. */
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

/** The longest time that a timer of Node counts; a longer one would fire at once. */
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

/** What each setting of a service takes. */
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
  allowInsecure: trueOrFalse,
  timeouts: optionsOf(checkTimeLimits),
  clock: aClock,
  ...connectionChecks,
};
