import type { TableStorage } from "@partita/core";
import { clearIndexStates, monotonicTime } from "@partita/core/internal";
import { signatureKey } from "../authorization/signature-key.ts";
import { type TableService, tableProtocol } from "./table-protocol.ts";
import { Pace } from "../http/pace.ts";
import { openServed, startServer } from "../http/start-server.ts";
import { Throttle } from "./throttle.ts";
import { checkTableServerOptions, type TableServerOptions } from "./table-server-options.ts";
import { accountTables, foreignTables } from "./account-tables.ts";
import { ServiceSettings, tableSettings } from "../settings/service-settings.ts";
import { checkSettings, probeSettings } from "../settings/settings-table.ts";
import type { TableServer } from "./table-server.ts";

/**
 * Starts a table service over any storage, for tests of any client: the REST protocol with its signatures, formats,
 * limits and error codes. It listens on 127.0.0.1 unless you set `host`. Access policies and service properties are
 * stored in the same storage, in a table `PartitaServerSettings` that clients do not see. Several servers over one
 * storage, with the same account and key, are one service.
 *
 * @throws OptionError `server.option`; Error `EADDRINUSE` if the port is in use; StorageError
 *   `storage.foreign-settings` if the storage has a table with that name and other contents
 */
export async function startTableServer(options: TableServerOptions = {}): Promise<TableServer> {
  const checked = checkTableServerOptions(options);
  const { account, key, scheme, pageSize, emptyPages, throttle, clock } = checked;
  const now = (): number => clock.now();
  const storage = await openServed(checked);
  await checkSettings(storage);
  const settings = new ServiceSettings(storage, tableSettings, now);
  const tables = accountTables(storage, async (table, change) => {
    const policies = await settings.readPolicies(table);
    await change();
    await settings.removePolicies(policies);
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
    probe: (signal) => probeSettings(storage, signal),
    scheme,
    pageSize,
    emptyPages,
    pace: new Pace(),
    throttle: throttle === undefined ? undefined : new Throttle(throttle, () => monotonicTime(clock)),
    now,
  };
  const server = await startServer("table", service, tableProtocol(service), storage, checked);
  return Object.assign(server, {
    wrapStorage<Wrapped extends TableStorage>(wrap: (storage: TableStorage) => Wrapped): Wrapped {
      const wrapped = wrap(tables);
      served = wrapped;
      return wrapped;
    },
  });
}
