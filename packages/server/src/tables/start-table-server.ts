import type { Clock } from "@partita/core/storage";
import { openStorage, type TableStorage } from "@partita/core";
import { clearIndexStates } from "@partita/core/internal";
import { signatureKey } from "../authorization/signature-key.ts";
import { admitRequest } from "../http/admit-request.ts";
import { type TableService, tableProtocol } from "./table-protocol.ts";
import { Pace } from "../http/pace.ts";
import { schemeOf, startListening } from "../http/start-listener.ts";
import { Throttle } from "./throttle.ts";
import { checkTableServerOptions, type TableServerOptions } from "./table-server-options.ts";
import { accountTables, foreignTables } from "./account-tables.ts";
import { ServiceSettings, tableSettings } from "../settings/service-settings.ts";
import type { TableServer } from "./table-server.ts";

/** Milliseconds that no change of the machine's time moves. */
const timeOf = (clock: Clock): number => clock.monotonic?.() ?? clock.now();

/**
 * Starts a table service over any storage: the REST protocol with its signatures, formats, limits and error codes, for
 * tests of anything that speaks it. It listens on 127.0.0.1 unless `host` says otherwise. Access policies and service
 * properties are stored with the entities, in a table `PartitaServerSettings` that clients do not see.
 *
 * @throws TypeError for options that are not legal; Error `EADDRINUSE` when the port is taken; StorageError
 *   `storage.foreign-settings` when the storage has a table of that name with something else
 */
export async function startTableServer(options: TableServerOptions = {}): Promise<TableServer> {
  const checked = checkTableServerOptions(options);
  const { tls, account, key, pageSize, emptyPages, throttle, clock, storage: given } = checked;
  const now = (): number => clock.now();
  const scheme = schemeOf(tls);
  const storage = given ?? (await openStorage("memory:", { clock }));
  const settings = await ServiceSettings.read(storage, tableSettings, now);
  const tables = accountTables(storage, async (table) => {
    await settings.removePolicies(table);
    await clearIndexStates(storage, table);
  });
  let served: TableStorage = tables;
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
  return {
    service: "table",
    url,
    port,
    account,
    key,
    connectionString: `DefaultEndpointsProtocol=${scheme};AccountName=${account};AccountKey=${key};TableEndpoint=${url};`,
    wrapStorage(wrap) {
      const wrapped = wrap(tables);
      served = wrapped;
      return wrapped;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
