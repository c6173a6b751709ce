import { initPostgres } from "@partita/postgres";
import type { openStorage, TableStorage } from "../../src/index.ts";
import { prefixTables } from "../../src/storage/prefix-tables.ts";

let shared: Promise<TableStorage> | undefined;
let opened = 0;

/** Opens a storage; `memory:` is PostgreSQL instead: tables of its own in a schema that the worker's tests share. */
export async function openInPostgres(
  open: typeof openStorage,
  ...[target, options]: Parameters<typeof openStorage>
): Promise<TableStorage> {
  if (target !== "memory:") return open(target, options);
  shared ??= openShared(open);
  return { ...prefixTables(await shared, `T${process.pid}x${opened++}`), close: async () => {} };
}

async function openShared(open: typeof openStorage): Promise<TableStorage> {
  const target = `${process.env["PARTITA_POSTGRES"]}?schema=core${process.pid}`;
  await initPostgres(target);
  return open(target);
}
