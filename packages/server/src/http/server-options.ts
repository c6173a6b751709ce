import { randomBytes } from "node:crypto";
import { OptionError, type TableStorage } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import { isAccountKey } from "@partita/core/protocol";
import { accepted, aClock, type Check, type Checks, trueOrFalse, wholeNumber } from "@partita/core/internal";
import { emulatorAccount, systemClock } from "@partita/core/rest";
import { isHost, isLoopback } from "./hosts.ts";
import type { TlsCertificate } from "./tls-server.ts";

/** Where a server listens, whose account it serves, and what it keeps it in. */
export interface ServerOptions {
  /** What it keeps everything in, which stays open when it closes; memory of its own when absent. */
  readonly storage?: TableStorage | undefined;
  /**
   * The address or name to listen on; default `127.0.0.1`. One that other machines reach, such as `0.0.0.0`, needs `tls`, or
   * `allowHttp`.
   */
  readonly host?: string | undefined;
  /** 0 (default) takes a free one. */
  readonly port?: number | undefined;
  /** Serves https with this certificate; http when absent. */
  readonly tls?: TlsCertificate | undefined;
  /**
   * Serves http to other machines, where everybody on the way reads what is sent: for a network that only you are on, such as
   * a container whose port is published on `127.0.0.1`. Default false.
   */
  readonly allowHttp?: boolean | undefined;
  /** The account's name; default `devstoreaccount1`. */
  readonly account?: string | undefined;
  /** The account's key in base64; a random one when absent. */
  readonly key?: string | undefined;
  /** The time that signatures are checked against, and whatever else the server goes by; the system's when absent. */
  readonly clock?: Clock | undefined;
}

/** Options that were checked, with what absent ones mean. */
export interface CheckedServer {
  /** The function they were passed to. */
  readonly call: string;
  readonly storage: TableStorage | undefined;
  readonly host: string;
  readonly port: number;
  readonly tls: TlsCertificate | undefined;
  /** Requests over TLS, or not. */
  readonly scheme: "http" | "https";
  readonly account: string;
  readonly key: string;
  readonly clock: Clock;
}

const aText = (takes: string, accepts: (text: string) => boolean): Check<string> =>
  accepted(takes, (value) => typeof value === "string" && accepts(value));

/** What each option takes, on its own. */
export const serverChecks: Checks<ServerOptions> = {
  storage: {
    takes: 'an open storage: await openStorage("file:tables.db")',
    accepts: (value) => typeof (value as Partial<TableStorage> | null)?.query === "function",
  },
  host: aText("an address or a host's name", isHost),
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
 * What options mean whose values were checked on their own.
 *
 * @param call - the function they were passed to
 * @throws OptionError `server.option` for http to other machines
 */
export function checkServer(call: string, options: ServerOptions): CheckedServer {
  const { storage, tls, clock = systemClock, host = "127.0.0.1", port = 0, allowHttp = false } = options;
  const { account = emulatorAccount.accountName, key = randomBytes(64).toString("base64") } = options;
  if (tls === undefined && !isLoopback(host) && !allowHttp)
    throw new OptionError(
      "server.option",
      `${call}({ host: "${host}" }) can be reached by other machines, and http shows them all that is sent. Add tls with a certificate, listen on 127.0.0.1, or add allowHttp: true where the network is yours alone.`,
      { call: `${call}(options)`, option: "host" },
    );
  const scheme = tls === undefined ? "http" : "https";
  return { call, storage, host, port, tls, scheme, account, key, clock };
}
