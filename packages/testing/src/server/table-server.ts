import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { openStorage, systemClock, type TableStorage } from "@partita/core";
import { emulatorAccount, isAccountKey } from "@partita/core/rest";
import type { FaultPlan } from "../faults/fault-plan.ts";
import { type FaultLog, faultyStorage, type FaultyStorage } from "../faults/faulty-storage.ts";
import { handleRequest } from "./handlers/handle-request.ts";
import { createListener } from "./http/listener.ts";
import { ServiceSettings } from "./handlers/service-settings.ts";

/** What a server serves, and where. */
export interface TableServerOptions {
  /** What it keeps entities in, which stays open when it closes; memory of its own when absent. */
  readonly storage?: TableStorage;
  /** 0 (default) takes a free one. */
  readonly port?: number;
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
  /** Milliseconds since 1970, which signatures are checked against; default `Date.now`. */
  readonly clock?: () => number;
}

/** A table service on this machine. */
export interface TableServer extends AsyncDisposable {
  /** The account's URL: `http://127.0.0.1:port/account`. */
  readonly url: string;
  readonly port: number;
  readonly account: string;
  readonly key: string;
  /** For `openStorage`, and for every client of the service. */
  readonly connectionString: string;
  /** Ends every connection; requests that are being answered may lose their answer. */
  close(): Promise<void>;
}

/**
 * Starts a table service over any storage: the REST protocol with its signatures, formats, limits and error codes, for
 * tests of anything that speaks it. It listens on 127.0.0.1 only. Access policies and service properties last as long
 * as the server.
 *
 * @throws TypeError for options that are not legal; Error `EADDRINUSE` when the port is taken
 */
export async function startTableServer(options: TableServerOptions = {}): Promise<TableServer> {
  const { account = emulatorAccount.accountName, port = 0, pageSize = 1000, emptyPages = false } = options;
  const unknown = Object.keys(options).find((name) => !optionNames.has(name));
  if (unknown !== undefined) throw new TypeError(`startTableServer does not know the option "${unknown}".`);
  if (options.storage !== undefined && typeof (options.storage as Partial<TableStorage>).query !== "function")
    throw new TypeError(
      'startTableServer({ storage }) takes an open storage: await openStorage("file:tables.db").',
    );
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new TypeError("startTableServer({ port }) takes 0 to 65535.");
  const key = options.key ?? randomBytes(64).toString("base64");
  if (!/^[a-z0-9-]{1,63}$/.test(account))
    throw new TypeError(
      "startTableServer({ account }) takes up to 63 letters, digits and hyphens, in lower case.",
    );
  if (!isAccountKey(key)) throw new TypeError("startTableServer({ key }) takes base64.");
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 1000)
    throw new TypeError("startTableServer({ pageSize }) takes 1 to 1000.");
  const storage =
    options.storage ??
    (await openStorage("memory:", {
      clock: { ...systemClock, now: options.clock ?? Date.now },
    }));
  let served = storage;
  const install = (plan: FaultPlan): FaultyStorage => {
    const faulty = faultyStorage(storage, plan);
    served = faulty;
    return faulty;
  };
  if (options.faults !== undefined) install(options.faults);
  const service = {
    get storage() {
      return served;
    },
    account,
    key: Buffer.from(key, "base64"),
    settings: new ServiceSettings(options.clock ?? Date.now),
    pageSize,
    emptyPages,
    now: options.clock ?? Date.now,
  };
  const listener = createListener((request) => handleRequest(request, service), service.now);
  listener.listen(port, "127.0.0.1");
  await once(listener, "listening");
  const { port: taken } = listener.address() as AddressInfo;
  const url = `http://127.0.0.1:${taken}/${account}`;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      const closed = once(listener, "close");
      listener.close();
      listener.closeAllConnections();
      await closed;
      if (options.storage === undefined) await storage.close();
    })();
    return closing;
  };
  const server: TableServer = {
    url,
    port: taken,
    account,
    key,
    connectionString: `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key};TableEndpoint=${url};`,
    close,
    [Symbol.asyncDispose]: close,
  };
  installers.set(server, install);
  return server;
}

const optionNames: ReadonlySet<string> = new Set([
  "storage",
  "port",
  "account",
  "key",
  "pageSize",
  "emptyPages",
  "faults",
  "clock",
]);

const installers = new WeakMap<object, (plan: FaultPlan) => FaultyStorage>();

/** How a server takes a plan of faults; undefined for what is no server. */
export const plansOf = (target: object): ((plan: FaultPlan) => FaultLog) | undefined =>
  installers.get(target);
