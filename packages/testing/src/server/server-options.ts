import { randomBytes } from "node:crypto";
import { type Clock, OptionError, type TableStorage } from "@partita/core";
import {
  accepted,
  aClock,
  aFunction,
  type Check,
  type CheckOptions,
  defineOptions,
  isAccountKey,
  trueOrFalse,
  wholeNumber,
} from "@partita/core/protocol";
import { emulatorAccount, systemClock } from "@partita/core/rest";
import type { FaultPlan } from "../faults/fault-plan.ts";
import { isHost, isLoopback } from "./http/hosts.ts";
import type { TlsCertificate } from "./http/tls-server.ts";

/** What a server serves, and where. */
export interface TableServerOptions {
  /** What it keeps entities in, which stays open when it closes; memory of its own when absent. */
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
  /** Entities of a page at most: 1 to 1000, which is the default. */
  readonly pageSize?: number | undefined;
  /** Sends an empty page with a continuation before each page of a query, as the service may; default false. */
  readonly emptyPages?: boolean | undefined;
  /**
   * Entities that each partition returns and takes in a second at most, as a service has its limits: what is beyond them is
   * answered with 503 `ServerBusy`. A tenth of a second's entities may come at once. No limit when absent.
   */
  readonly throttle?: number | undefined;
  /** Lets requests fail over their sockets; `withFaults(server, plan)` does it later. */
  readonly faults?: FaultPlan | undefined;
  /** The time that signatures are checked against, and `throttle` goes by; the system's when absent. */
  readonly clock?: Clock | undefined;
}

/** Options that were checked, with what absent ones mean. */
export interface CheckedOptions {
  readonly host: string;
  readonly port: number;
  readonly account: string;
  readonly key: string;
  readonly pageSize: number;
  readonly emptyPages: boolean;
  readonly clock: Clock;
  readonly throttle?: number;
  readonly storage?: TableStorage;
  readonly tls?: TlsCertificate;
  readonly faults?: FaultPlan;
}

const aText = (takes: string, accepts: (text: string) => boolean): Check<string> =>
  accepted(takes, (value) => typeof value === "string" && accepts(value));

const checkEach: CheckOptions = defineOptions<TableServerOptions>(
  "startTableServer(options)",
  {
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
    pageSize: wholeNumber(1, 1000),
    emptyPages: trueOrFalse,
    throttle: wholeNumber(1),
    faults: { ...aFunction, takes: "a plan of faults: a function" },
    clock: aClock,
  },
  "server.option",
);

/** @throws OptionError `server.option` */
export function checkServerOptions(options: TableServerOptions): CheckedOptions {
  checkEach(options);
  const { storage, tls, throttle, faults, emptyPages = false, clock = systemClock } = options;
  const { host = "127.0.0.1", port = 0, pageSize = 1000, allowHttp = false } = options;
  const { account = emulatorAccount.accountName, key = randomBytes(64).toString("base64") } = options;
  if (tls === undefined && !isLoopback(host) && !allowHttp)
    throw new OptionError(
      "server.option",
      `startTableServer({ host: "${host}" }) can be reached by other machines, and http shows them all that is sent. Add tls with a certificate, listen on 127.0.0.1, or add allowHttp: true where the network is yours alone.`,
      { call: "startTableServer(options)", option: "host" },
    );
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
    ...(throttle !== undefined && { throttle }),
    ...(faults !== undefined && { faults }),
  };
}
