import type { TableStorage } from "@partita/core";
import type { StudioCore } from "./core.ts";
import { RequestError } from "./request-error.ts";

/** A storage that refuses every write, so a read-only studio does not depend on its page or its routes. */
export function readOnlyStorage(core: StudioCore, storage: TableStorage): TableStorage {
  const refuse = (): Promise<never> => Promise.reject(RequestError.readOnly());
  return core.forwardStorage(storage, {
    write: refuse,
    transact: refuse,
    createTable: refuse,
    deleteTable: refuse,
  });
}
