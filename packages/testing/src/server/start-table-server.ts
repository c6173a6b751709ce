import type { TableServerOptions } from "./table-server-options.ts";
import type { TableServer } from "./table-server.ts";

/**
 * Starts a table service over any storage: the REST protocol with its signatures, formats, limits and error codes, for
 * tests of anything that speaks it. It listens on 127.0.0.1 unless `host` says otherwise. Access policies and service
 * properties are stored with the entities, in a table `PartitaServerSettings` that clients do not see.
 *
 * @throws TypeError for options that are not legal; Error `EADDRINUSE` when the port is taken; StorageError
 *   `storage.foreign-settings` when the storage has a table of that name with something else
 */
export async function startTableServer(options: TableServerOptions = {}): Promise<TableServer> {
  // Most tests use something else of this package, and do not load the server for it.
  const { serveTables } = await import("./serve-tables.ts");
  return serveTables(options);
}
