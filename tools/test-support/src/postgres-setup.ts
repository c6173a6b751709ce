// One PostgreSQL server for all tests of a run, by way of PARTITA_POSTGRES: for `globalSetup` of projects.
import { hasPostgres, startPostgres } from "./postgres.ts";

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env["PARTITA_POSTGRES"] !== undefined) return undefined;
  if (!hasPostgres) {
    console.warn("Tests over PostgreSQL are skipped: npm has a server for them on Linux with x64 only.");
    return undefined;
  }
  const server = await startPostgres();
  process.env["PARTITA_POSTGRES"] = server.target();
  return () => {
    delete process.env["PARTITA_POSTGRES"];
    return server.stop();
  };
}
