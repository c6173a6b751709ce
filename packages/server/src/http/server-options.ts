import { randomBytes } from "node:crypto";
import { OptionError, type TableStorage } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import { isAccountKey } from "@partita/core/protocol";
import { accepted, aClock, type Check, type Checks, trueOrFalse, wholeNumber } from "@partita/core/internal";
import { emulatorAccount, systemClock } from "@partita/core/rest";
import { isHost, isLoopback } from "./hosts.ts";
import type { TlsCertificate } from "./tls-server.ts";

/** Options of all servers: address, account and storage. */
export interface ServerOptions {
  /** The storage of all data, which stays open when the server closes; by default in memory. */
  readonly storage?: TableStorage | undefined;
  /**
   * The address or name to listen on; default `127.0.0.1`. If other machines can reach it, such as `0.0.0.0`, you need
   * `tls` or `allowHttp`.
   */
  readonly host?: string | undefined;
  /** The port, 0 to 65535; by default 0, which selects a free one. */
  readonly port?: number | undefined;
  /** The certificate for https; http when absent. */
  readonly tls?: TlsCertificate | undefined;
  /**
   * Allows http for other machines. All data is then sent unencrypted, so use it only on a network of your own, such as
   * a container with a port published on `127.0.0.1`. Default false.
   */
  readonly allowHttp?: boolean | undefined;
  /** The account's name, up to 63 lower-case letters, digits and hyphens; default `devstoreaccount1`. */
  readonly account?: string | undefined;
  /** The account's key in base64; random by default. */
  readonly key?: string | undefined;
  /** The clock for checking signatures and for all other times; the system's when absent. */
  readonly clock?: Clock | undefined;
}

/** Checked options, with defaults. */
export interface CheckedServer {
  /** The function that received them. */
  readonly call: string;
  readonly storage: TableStorage | undefined;
  readonly host: string;
  readonly port: number;
  readonly tls: TlsCertificate | undefined;
  /** Whether requests use TLS. */
  readonly scheme: "http" | "https";
  readonly account: string;
  readonly key: string;
  readonly clock: Clock;
}

const aText = (takes: string, accepts: (text: string) => boolean): Check<string> =>
  accepted(takes, (value) => typeof value === "string" && accepts(value));

/** Checks of each option. */
export const serverChecks: Checks<ServerOptions> = {
  storage: {
    takes: 'an open storage: await openStorage("file:tables.db")',
    accepts: (value) => typeof (value as Partial<TableStorage> | null)?.query === "function",
  },
  host: aText("an address or a host name", isHost),
  port: wholeNumber(0, 65_535),
  tls: {
    takes: "a certificate and its private key as PEM: { cert, key }",
    accepts: (value) => typeof value === "object" && value !== null,
  },
  allowHttp: trueOrFalse,
  account: aText("up to 63 letters, digits and hyphens, in lower case", (text) =>
    /^[a-z0-9-]{1,63}$/.test(text),
  ),
  key: aText("base64", isAccountKey),
  clock: aClock,
};

/**
 * Checks options in combination.
 *
 * @param call - the function that received them
 * @throws OptionError `server.option` for http to other machines
 */
export function checkServer(call: string, options: ServerOptions): CheckedServer {
  const { storage, tls, clock = systemClock, host = "127.0.0.1", port = 0, allowHttp = false } = options;
  const { account = emulatorAccount.accountName, key = randomBytes(64).toString("base64") } = options;
  if (tls === undefined && !isLoopback(host) && !allowHttp)
    throw new OptionError(
      "server.option",
      `${call}({ host: "${host}" }) can be reached by other machines, and http sends all data unencrypted. Add tls with a certificate, listen on 127.0.0.1, or add allowHttp: true if you are alone on the network.`,
      { call: `${call}(options)`, option: "host" },
    );
  const scheme = tls === undefined ? "http" : "https";
  return { call, storage, host, port, tls, scheme, account, key, clock };
}
