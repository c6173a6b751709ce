import { StorageError } from "@partita/core";
import { initPostgres } from "@partita/postgres";
import { hasPostgres, startPostgres } from "@partita/test-support/postgres";

/** Creates the schema in a database if the role may do that. Otherwise its owner runs `partita postgres init`. */
export async function prepareDatabase(target: string): Promise<void> {
  try {
    await initPostgres(target);
  } catch (error) {
    if (!StorageError.is(error) || error.code !== "storage.postgres-access") throw error;
  }
}

/** Starts the PostgreSQL that this repository's tests use, and stops it in the end. */
export async function startDatabase(ends: AsyncDisposableStack): Promise<string> {
  if (!hasPostgres) throw new Error("Pass --storage postgres://…: npm has a server for Linux with x64 only.");
  const server = await startPostgres();
  ends.defer(() => server.stop());
  return server.target();
}
