import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type Clock, openStorage } from "@partita/core";
import { offersBodies } from "@partita/core/protocol";
import type { FaultPlan } from "../faults/fault-plan.ts";
import { faultyStorage, type FaultyStorage } from "../faults/faulty-storage.ts";
import { takePlansFor } from "../faults/plans-of-servers.ts";
import { signatureKey } from "./authorization/signature-key.ts";
import { admitRequest } from "./handlers/handle-request.ts";
import { hostInUrl } from "./http/hosts.ts";
import { createListener } from "./http/listener.ts";
import { Pace } from "./http/pace.ts";
import { Throttle } from "./handlers/throttle.ts";
import { checkServerOptions, type TableServerOptions } from "./server-options.ts";
import { accountTables } from "./settings/account-tables.ts";
import { ServiceSettings } from "./settings/service-settings.ts";
import type { TableServer } from "./table-server.ts";
import { tableForms } from "./wire/fault-answer.ts";

/** Milliseconds that no change of the machine's time moves. */
const timeOf = (clock: Clock): number => clock.monotonic?.() ?? clock.now();

/** Does what `startTableServer` promises. */
export async function serveTables(options: TableServerOptions): Promise<TableServer> {
  const { host, port, tls, account, key, pageSize, emptyPages, throttle, faults, clock, ...given } =
    checkServerOptions(options);
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
    pace: new Pace(),
    throttle: throttle === undefined ? undefined : new Throttle(throttle, () => timeOf(clock)),
    // Wrapped below, it is still asked as the server is asked.
    hasBodies: offersBodies(storage),
    now,
  } as const;
  const { listener, closeConnections } = createListener((head) => admitRequest(head, service), {
    host,
    tls,
    now,
    forms: tableForms,
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
  takePlansFor(server, install);
  return server;
}
