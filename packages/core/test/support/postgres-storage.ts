import { forwardStorage } from "../../src/storage/forward-storage.ts";
import { prefixTables } from "../../src/storage/prefix-tables.ts";
import { counted } from "@partita/test-support/requests";
import type { openStorage, TableStorage } from "../../src/index.ts";

let shared: Promise<TableStorage> | undefined;
let opened = 0;

/** Opens a storage; `memory:` with this machine's clock is PostgreSQL instead: tables of its own in a schema that the worker's tests share. */
export async function openInPostgres(
  open: typeof openStorage,
  ...[target, options]: Parameters<typeof openStorage>
): Promise<TableStorage> {
  if (target !== "memory:" || options?.clock !== undefined) return open(target, options);
  shared ??= openShared(open);
  const stayOpen = async (): Promise<void> => {};
  const own = prefixTables(await shared, `T${process.pid}x${opened++}`);
  return forwardStorage(own, {
    query: (...args) => counted(() => own.query(...args)),
    get: (...args) => counted(() => own.get(...args)),
    write: (...args) => counted(() => own.write(...args)),
    transact: (...args) => counted(() => own.transact(...args)),
    createTable: (...args) => counted(() => own.createTable(...args)),
    deleteTable: (...args) => counted(() => own.deleteTable(...args)),
    listTables: (...args) => counted(() => own.listTables(...args)),
    close: stayOpen,
    [Symbol.asyncDispose]: stayOpen,
  });
}

async function openShared(open: typeof openStorage): Promise<TableStorage> {
  const target = `${process.env["PARTITA_POSTGRES"]}?schema=core${process.pid}`;
  // The package imports core, which is not loaded completely when it imports this file.
  const { initPostgres } = await import("@partita/postgres");
  await initPostgres(target);
  return open(target);
}
