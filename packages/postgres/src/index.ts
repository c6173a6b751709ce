// The entry point: storages over PostgreSQL, and their schema.

export { openPostgres, openPostgresPool } from "./open-postgres.ts";
export type { PostgresOptions, PostgresPoolOptions } from "./postgres-options.ts";
export { initPostgres, type PostgresSchema } from "./schema/init-postgres.ts";
