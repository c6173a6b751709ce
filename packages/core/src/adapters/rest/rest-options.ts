import { invalidOption, StorageError } from "../../errors/storage-error.ts";
import type { Clock } from "../../storage/clock.ts";
import type { Credential } from "./credentials/credential.ts";
import type { TimeLimits } from "./http/transport.ts";
import type { SharedKeyScheme } from "./credentials/sign-request.ts";
import type { MetadataLevel } from "./wire/wire-format.ts";

/** Settings of a service. */
export interface RestOptions {
  /** Who asks, where the target does not say it: account keys, a shared access signature, or a token credential. */
  readonly credential?: Credential;
  /** How requests are signed with a key; default `SharedKeyLite`, as the service's own clients do. */
  readonly signature?: SharedKeyScheme;
  /** Protocol version, `x-ms-version`; default `2019-02-02`, with tokens `2020-12-06`, for Atom `2015-07-08`. */
  readonly protocolVersion?: string;
  /** What entities are written in: JSON (default), or Atom, which versions up to 2015-07-08 speak. */
  readonly format?: "json" | "atom";
  /**
   * What JSON answers tell beside values: `minimal` (default) has types and ETags, `full` links too. `none` is shorter
   * and has neither: for reading text, Int32 and Boolean only, and not for changing what was queried.
   */
  readonly metadata?: MetadataLevel;
  /** Sends PUT, MERGE and DELETE as a POST that names them, for proxies that let nothing else through. */
  readonly tunnelMethods?: boolean;
  /** Lets an `http:` endpoint be other than this machine: keys sign, but data travels in clear. */
  readonly allowInsecure?: boolean;
  /**
   * Time limits in milliseconds: connecting (default 5000), a whole read (10000), a whole write (20000), and between
   * two pieces of an answer (10000).
   */
  readonly timeouts?: Partial<TimeLimits>;
  /**
   * What counts the limits of requests (`readMs`, `writeMs`), and in the embedded store the time for Timestamps; default
   * the clock of this machine. A test passes its own.
   */
  readonly clock?: Clock;
}

/** Atom ended with the version after this one. Source: learn.microsoft.com "Payload format for Table service operations". */
const lastAtomVersion = "2015-07-08";

/** @throws StorageError `storage.option` for a version that does not fit the rest */
export function versionOf({ protocolVersion, format, credential }: RestOptions): string {
  const hasToken = credential !== undefined && "getToken" in credential;
  const initial = format === "atom" ? lastAtomVersion : hasToken ? "2020-12-06" : "2019-02-02";
  const version = protocolVersion ?? initial;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(version))
    throw invalidOption("protocolVersion takes a date such as 2019-02-02");
  if (format === "atom" && version > lastAtomVersion)
    throw invalidOption(`format "atom" needs a protocolVersion up to ${lastAtomVersion}`);
  if (format !== "atom" && version < "2013-08-15")
    throw invalidOption('JSON needs a protocolVersion from 2013-08-15 on; before it, say format: "atom"');
  return version;
}

/** @throws StorageError `storage.time-limit` */
export function timeLimitsOf(limits: Partial<TimeLimits> = {}): TimeLimits {
  const unknown = Object.keys(limits).find((name) => !limitNames.has(name));
  if (unknown !== undefined) throw invalidOption(`timeouts has no limit "${unknown.slice(0, 40)}"`);
  return allLimits(limits);
}

const limitNames: ReadonlySet<string> = new Set(["connectMs", "readMs", "writeMs", "idleMs"]);

function allLimits({ connectMs, readMs, writeMs, idleMs }: Partial<TimeLimits> = {}): TimeLimits {
  return {
    connectMs: timeLimit("connectMs", connectMs, 5_000),
    readMs: timeLimit("readMs", readMs, 10_000),
    writeMs: timeLimit("writeMs", writeMs, 20_000),
    idleMs: timeLimit("idleMs", idleMs, 10_000),
  };
}

/** The longest time that a timer of Node counts; a longer one would fire at once. */
const longestMs = 2 ** 31 - 1;

function timeLimit(name: string, ms: number | undefined, initial: number): number {
  if (ms === undefined) return initial;
  if (typeof ms === "number" && ms > 0) return Math.min(ms, longestMs);
  throw new StorageError("storage.time-limit", `timeouts.${name} takes milliseconds above 0, or Infinity.`, {
    applied: "no",
  });
}

/** @throws StorageError `storage.option` */
export function checkRestOptions(options: RestOptions): void {
  const choices = {
    signature: ["SharedKey", "SharedKeyLite"],
    format: ["json", "atom"],
    metadata: ["none", "minimal", "full"],
    tunnelMethods: [true, false],
    allowInsecure: [true, false],
  } as const;
  for (const [name, known] of Object.entries(choices)) {
    const chosen = options[name as keyof typeof choices];
    if (chosen !== undefined && !(known as readonly unknown[]).includes(chosen))
      throw invalidOption(`${name} takes ${known.map((choice) => JSON.stringify(choice)).join(", ")}`);
  }
}
