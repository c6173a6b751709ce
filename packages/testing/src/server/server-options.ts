import { randomBytes } from "node:crypto";
import type { Clock, TableStorage } from "@partita/core";
import { systemClock } from "@partita/core/rest";
import { isAccountKey } from "@partita/core/protocol";
import { emulatorAccount } from "@partita/core/rest";
import type { FaultPlan } from "../faults/fault-plan.ts";
import { isHost, isLoopback } from "./http/hosts.ts";
import type { TlsCertificate } from "./http/tls-server.ts";

/** What a server serves, and where. */
export interface TableServerOptions {
  /** What it keeps entities in, which stays open when it closes; memory of its own when absent. */
  readonly storage?: TableStorage;
  /**
   * The address or name to listen on; default `127.0.0.1`. One that other machines reach, such as `0.0.0.0`, needs `tls`, or
   * `allowHttp`.
   */
  readonly host?: string;
  /** 0 (default) takes a free one. */
  readonly port?: number;
  /** Serves https with this certificate; http when absent. */
  readonly tls?: TlsCertificate;
  /**
   * Serves http to other machines, where everybody on the way reads what is sent: for a network that only you are on, such as
   * a container whose port is published on `127.0.0.1`. Default false.
   */
  readonly allowHttp?: boolean;
  /** The account's name; default `devstoreaccount1`. */
  readonly account?: string;
  /** The account's key in base64; a random one when absent. */
  readonly key?: string;
  /** Entities of a page at most: 1 to 1000, which is the default. */
  readonly pageSize?: number;
  /** Sends an empty page with a continuation before each page of a query, as the service may; default false. */
  readonly emptyPages?: boolean;
  /** Lets requests fail over their sockets; `withFaults(server, plan)` does it later. */
  readonly faults?: FaultPlan;
  /** The time that signatures are checked against; the system's when absent. */
  readonly clock?: Clock;
}

/** Options that were checked, with what absent ones mean. */
export type CheckedOptions = Required<
  Pick<TableServerOptions, "host" | "port" | "account" | "key" | "pageSize" | "emptyPages" | "clock">
> &
  Pick<TableServerOptions, "storage" | "tls" | "faults">;

/** @throws TypeError for options that are not legal */
export function checkOptions(options: TableServerOptions): CheckedOptions {
  const unknown = Object.keys(options).find((name) => !optionNames.has(name));
  if (unknown !== undefined) throw new TypeError(`startTableServer does not know the option "${unknown}".`);
  const { storage, tls, faults, emptyPages = false, clock = systemClock } = options;
  const { host = "127.0.0.1", port = 0, pageSize = 1000, allowHttp = false } = options;
  const { account = emulatorAccount.accountName, key = randomBytes(64).toString("base64") } = options;
  if (storage !== undefined && typeof (storage as Partial<TableStorage>).query !== "function")
    throw new TypeError(
      'startTableServer({ storage }) takes an open storage: await openStorage("file:tables.db").',
    );
  if (!isHost(host)) throw new TypeError("startTableServer({ host }) takes an address or a host's name.");
  if (tls === undefined && !isLoopback(host) && allowHttp !== true)
    throw new TypeError(
      `startTableServer({ host: "${host}" }) can be reached by other machines, and http shows them all that is sent. Add tls with a certificate, listen on 127.0.0.1, or add allowHttp: true where the network is yours alone.`,
    );
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new TypeError("startTableServer({ port }) takes 0 to 65535.");
  if (!/^[a-z0-9-]{1,63}$/.test(account))
    throw new TypeError(
      "startTableServer({ account }) takes up to 63 letters, digits and hyphens, in lower case.",
    );
  if (!isAccountKey(key)) throw new TypeError("startTableServer({ key }) takes base64.");
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 1000)
    throw new TypeError("startTableServer({ pageSize }) takes 1 to 1000.");
  return {
    host,
    port,
    account,
    key,
    pageSize,
    emptyPages,
    clock,
    ...(storage !== undefined && { storage }),
    ...(tls !== undefined && { tls }),
    ...(faults !== undefined && { faults }),
  };
}

const optionNames: ReadonlySet<string> = new Set<keyof TableServerOptions>([
  "storage",
  "host",
  "port",
  "tls",
  "allowHttp",
  "account",
  "key",
  "pageSize",
  "emptyPages",
  "faults",
  "clock",
]);
