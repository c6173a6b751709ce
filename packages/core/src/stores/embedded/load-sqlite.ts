import type * as Sqlite from "node:sqlite";
import { StorageError } from "../../values/errors/storage-error.ts";
import { nameOfRuntime } from "../check-runtime.ts";

type LoadModule = (name: "node:sqlite") => typeof Sqlite | undefined;

/**
 * The runtime's own SQLite, loaded when the first file is opened: bundlers put imports of Node's modules at the top
 * of their output, where a runtime without SQLite could not even load a program that only talks to a service.
 *
 * @throws StorageError `storage.no-sqlite`
 */
export function loadSqlite(load: LoadModule = (name) => process.getBuiltinModule(name)): typeof Sqlite {
  const sqlite = load("node:sqlite");
  if (typeof sqlite?.DatabaseSync === "function") return sqlite;
  throw new StorageError(
    "storage.no-sqlite",
    `The embedded store needs the module node:sqlite, which ${nameOfRuntime()} does not have. Use Node 22.19 or later, or a newer version of this runtime; a table service can be used without it.`,
    { applied: "no" },
  );
}
