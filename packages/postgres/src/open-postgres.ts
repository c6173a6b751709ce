import { OptionError, type TableStorage } from "@partita/core";
import { checkRuntime, logAsEnvironmentSays } from "@partita/core/internal";
import type { Pool } from "pg";
import { createPool } from "./connection/create-pool.ts";
import { Statements } from "./connection/statements.ts";
import { defaultSchema, placeOf, readTarget } from "./connection/target.ts";
import {
  checkPoolOptions,
  checkPostgresOptions,
  defaultTimeoutMs,
  isPool,
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
  const { maxConnections = 10, waitMs = 10_000, timeoutMs = defaultTimeoutMs } = options;
  const pool = createPool(connectionString, maxConnections, waitMs);
  return open(new Statements(pool, description, timeoutMs), schema, description, () => pool.end());
}

/**
 * Opens the tables over a pool of your own, which stays open when the storage closes. Partita changes settings of the
 * sessions that it uses, such as `enable_sort`. If your program sends queries of its own, give them another pool.
 *
 * @param pool - a `Pool` of the library `pg`. With its option `connectionTimeoutMillis`, requests don't wait forever for
 *   a connection
 *
 * @example
 * ```ts
 * // Needs a PostgreSQL server.
 * // The pool is new Pool({ host: "localhost", database: "shop" }) of the library pg.
 * await using storage = await openPostgresPool(pool);
 * ```
 *
 * @throws OptionError `storage.option`; StorageError like `openPostgres`
 */
export async function openPostgresPool(pool: Pool, options: PostgresPoolOptions = {}): Promise<TableStorage> {
  checkRuntime();
  if (!isPool(pool))
    throw OptionError.wrongValue("storage.option", "openPostgresPool(pool)", {
      takes: "a Pool of the library pg",
      given: undefined,
    });
  checkPoolOptions(options);
  const { schema = defaultSchema, timeoutMs = defaultTimeoutMs } = options;
  await logAsEnvironmentSays();
  const description = placeOf(pool.options, schema);
  return open(new Statements(pool, description, timeoutMs), schema, description, async () => {});
}

async function open(
  statements: Statements,
  schema: string,
  description: string,
  end: () => Promise<void>,
): Promise<TableStorage> {
  try {
    await checkSchema(statements, schema, description);
  } catch (error) {
    await end();
    throw error;
  }
  return new PostgresStorage({ statements, schema, description, end });
}
