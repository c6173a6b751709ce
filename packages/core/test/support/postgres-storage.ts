import { forwardStorage } from "../../src/storage/forward-storage.ts";
import { prefixTables } from "../../src/storage/prefix-tables.ts";
import type { openStorage, TableStorage } from "../../src/index.ts";

let shared: Promise<TableStorage> | undefined;
let opened = 0;

/** Opens a storage; `memory:` is PostgreSQL instead: tables of its own in a schema that the worker's tests share. */
export async function openInPostgres(
  open: typeof openStorage,
  ...[target, options]: Parameters<typeof openStorage>
): Promise<TableStorage> {
  if (target !== "memory:") return open(target, options);
  shared ??= openShared(open);
  const stayOpen = async (): Promise<void> => {};
  return forwardStorage(prefixTables(await shared, `T${process.pid}x${opened++}`), {
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
