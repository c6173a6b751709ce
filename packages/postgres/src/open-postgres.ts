import { checkRuntime, logAsEnvironmentSays } from "@partita/core/internal";
import type { TableStorage } from "@partita/core";
import pg, { type Pool } from "pg";
import { Statements } from "./connection/statements.ts";
import { defaultSchema, readTarget } from "./connection/target.ts";
import {
  checkPoolOptions,
  checkPostgresOptions,
  type PostgresOptions,
  type PostgresPoolOptions,
} from "./postgres-options.ts";
import { PostgresStorage } from "./postgres-storage.ts";
import { checkSchema } from "./schema/check-schema.ts";

/**
 * Opens the tables in a PostgreSQL database. The target is `postgres://user:password@host/database`, with `?schema=name`
 * for a schema other than `partita`. Create the schema first, with `partita postgres init <target>` or `initPostgres`.
 *
 * `openStorage` of `@partita/core` calls this function for such a target.
 *
 * @example
 * ```ts
 * // Needs a PostgreSQL server.
 * await using storage = await openPostgres("postgres://app@localhost/shop");
 * const context = new TableContext(storage);
 * ```
 *
 * @throws OptionError `storage.option`; StorageError `storage.unknown-target`, `storage.postgres-schema`,
 *   `storage.postgres-database`, `storage.postgres-access`, `storage.connection-lost`
 */
export async function openPostgres(target: string, options: PostgresOptions = {}): Promise<TableStorage> {
  checkRuntime();
  checkPostgresOptions(options);
  const { connectionString, schema, description } = readTarget(target);
  await logAsEnvironmentSays();
  const { maxConnections: max = 10, waitMs: connectionTimeoutMillis = 10_000 } = options;
  const pool = new pg.Pool({
    application_name: "partita",
    connectionString,
    max,
    connectionTimeoutMillis,
    keepAlive: true,
  });
  return open(pool, schema, description, () => pool.end());
}

/**
 * Opens the tables over a pool of your own, which stays open when the storage closes.
 *
 * @param pool - a `Pool` of the library `pg`
 *
 * @example
 * ```ts
 * // Needs a PostgreSQL server.
 * const pool = new Pool({ host: "localhost", database: "shop" });
 * await using storage = await openPostgresPool(pool);
 * ```
 *
 * @throws OptionError `storage.option`; StorageError like `openPostgres`
 */
export async function openPostgresPool(pool: Pool, options: PostgresPoolOptions = {}): Promise<TableStorage> {
  checkRuntime();
  checkPoolOptions(options);
  const { schema = defaultSchema } = options;
  await logAsEnvironmentSays();
  const { host = "localhost", database = "" } = pool.options;
  return open(pool, schema, `postgres://${host}/${database}`, async () => {});
}

async function open(
  pool: Pool,
  schema: string,
  description: string,
  end: () => Promise<void>,
): Promise<TableStorage> {
  const statements = new Statements(pool, description);
  try {
    await checkSchema(statements, schema, description);
  } catch (error) {
    await end();
    throw error;
  }
  // The pool's options have the password, though not as an enumerable property.
  const newClient = (): pg.Client => new pg.Client(pool.options);
  return new PostgresStorage({ statements, schema, description, end, newClient });
}
