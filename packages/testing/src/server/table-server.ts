import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { openStorage } from "@partita/core";
import type { FaultPlan } from "../faults/fault-plan.ts";
import { type FaultLog, faultyStorage, type FaultyStorage } from "../faults/faulty-storage.ts";
import { signatureKey } from "./authorization/signature-key.ts";
import { handleRequest } from "./handlers/handle-request.ts";
import { hostInUrl } from "./http/hosts.ts";
import { createListener } from "./http/listener.ts";
import { checkOptions, type TableServerOptions } from "./server-options.ts";
import { accountTables } from "./settings/account-tables.ts";
import { ServiceSettings } from "./settings/service-settings.ts";

/** A table service on this machine. */
export interface TableServer extends AsyncDisposable {
  /** The account's URL: `http://127.0.0.1:port/account`, or https and the server's host. */
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
 * tests of anything that speaks it. It listens on 127.0.0.1 unless `host` says otherwise. Access policies and service
 * properties are stored with the entities, in a table `PartitaServerSettings` that clients do not see.
 *
 * @throws TypeError for options that are not legal; Error `EADDRINUSE` when the port is taken; StorageError
 *   `storage.foreign-settings` when the storage has a table of that name with something else
 */
export async function startTableServer(options: TableServerOptions = {}): Promise<TableServer> {
  const { host, port, tls, account, key, pageSize, emptyPages, faults, clock, ...given } =
    checkOptions(options);
  const now = (): number => clock.now();
  const scheme = tls === undefined ? "http" : "https";
  const storage = given.storage ?? (await openStorage("memory:", { clock }));
  const settings = await ServiceSettings.read(storage, now);
  const tables = accountTables(storage, (table) => settings.removePolicies(table));
  let served = tables;
  const install = (plan: FaultPlan): FaultyStorage => {
    const faulty = faultyStorage(tables, plan);
    served = faulty;
    return faulty;
  };
  if (faults !== undefined) install(faults);
  const service = {
    get storage() {
      return served;
    },
    account,
    key: signatureKey(key),
    settings,
    scheme,
    pageSize,
    emptyPages,
    now,
  } as const;
  const { listener, closeConnections } = createListener((request) => handleRequest(request, service), {
    host,
    tls,
    now,
  });
  listener.listen(port, host);
  await once(listener, "listening");
  const { port: taken } = listener.address() as AddressInfo;
  const url = `${scheme}://${hostInUrl(host, tls !== undefined)}:${taken}/${account}`;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      const closed = once(listener, "close");
      listener.close();
      closeConnections();
      await closed;
      if (given.storage === undefined) await storage.close();
    })();
    return closing;
  };
  const server: TableServer = {
    url,
    port: taken,
    account,
    key,
    connectionString: `DefaultEndpointsProtocol=${scheme};AccountName=${account};AccountKey=${key};TableEndpoint=${url};`,
    close,
    [Symbol.asyncDispose]: close,
  };
  installers.set(server, install);
  return server;
}

const installers = new WeakMap<object, (plan: FaultPlan) => FaultyStorage>();

/** How a server takes a plan of faults; undefined for what is no server. */
export const plansOf = (target: object): ((plan: FaultPlan) => FaultLog) | undefined =>
  installers.get(target);
