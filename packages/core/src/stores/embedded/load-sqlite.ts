import type * as Sqlite from "node:sqlite";
import { StorageError } from "../../values/errors/storage-error.ts";
import { nameOfRuntime } from "../check-runtime.ts";

type LoadModule = (name: "node:sqlite") => typeof Sqlite | undefined;

/**
 * Loads the runtime's own SQLite when the first file is opened. Bundlers move imports of Node's modules to the top of
 * their output, so a runtime without SQLite could not load even a program that only uses a service.
 *
 * @throws StorageError `storage.no-sqlite`
 */
export function loadSqlite(load: LoadModule = (name) => process.getBuiltinModule(name)): typeof Sqlite {
  const sqlite = load("node:sqlite");
  if (typeof sqlite?.DatabaseSync === "function") return sqlite;
  throw new StorageError(
    "storage.no-sqlite",
    `The embedded store needs the module node:sqlite, which ${nameOfRuntime()} does not have. Use Node 22.19 or later, or a newer version of this runtime. You can use a table service without it.`,
    { applied: "no" },
  );
}
