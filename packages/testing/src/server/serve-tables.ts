import { openStorage } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import { clearIndexStates } from "@partita/core/internal";
import type { FaultPlan } from "../faults/fault-plan.ts";
import { faultyStorage, type FaultyStorage } from "../faults/faulty-storage.ts";
import { takePlansFor } from "../faults/plans-of-servers.ts";
import { signatureKey } from "./authorization/signature-key.ts";
import { admitRequest } from "./handlers/admit-request.ts";
import { type TableService, tableProtocol } from "./handlers/table-protocol.ts";
import { Pace } from "./http/pace.ts";
import { schemeOf, startListening } from "./http/start-listener.ts";
import { Throttle } from "./handlers/throttle.ts";
import { checkTableServerOptions, type TableServerOptions } from "./table-server-options.ts";
import { accountTables, foreignTables } from "./settings/account-tables.ts";
import { ServiceSettings, tableSettings } from "./settings/service-settings.ts";
import type { TableServer } from "./table-server.ts";

/** Milliseconds that no change of the machine's time moves. */
const timeOf = (clock: Clock): number => clock.monotonic?.() ?? clock.now();

/** Does what `startTableServer` promises. */
export async function serveTables(options: TableServerOptions): Promise<TableServer> {
  const checked = checkTableServerOptions(options);
  const { tls, account, key, pageSize, emptyPages, throttle, faults, clock, storage: given } = checked;
  const now = (): number => clock.now();
  const scheme = schemeOf(tls);
  const storage = given ?? (await openStorage("memory:", { clock }));
  const settings = await ServiceSettings.read(storage, tableSettings, now);
  const tables = accountTables(storage, async (table) => {
    await settings.removePolicies(table);
    await clearIndexStates(storage, table);
  });
  let served = tables;
  const install = (plan: FaultPlan): FaultyStorage => {
    const faulty = faultyStorage(tables, plan);
    served = faulty;
    return faulty;
  };
  if (faults !== undefined) install(faults);
  const service: TableService = {
    get storage() {
      return served;
    },
    foreignTables: foreignTables(() => served),
    account,
    key: signatureKey(key),
    settings,
    scheme,
    pageSize,
    emptyPages,
    pace: new Pace(),
    throttle: throttle === undefined ? undefined : new Throttle(throttle, () => timeOf(clock)),
    now,
  };
  const protocol = tableProtocol(service);
  const { url, port, close } = await startListening(
    (head) => admitRequest(head, service, protocol),
    { ...checked, now, forms: protocol.forms },
    async () => {
      if (given === undefined) await storage.close();
    },
  );
  const server: TableServer = {
    service: "table",
    url,
    port,
    account,
    key,
    connectionString: `DefaultEndpointsProtocol=${scheme};AccountName=${account};AccountKey=${key};TableEndpoint=${url};`,
    close,
    [Symbol.asyncDispose]: close,
  };
  takePlansFor(server, install);
  return server;
}
