import { accepted, type Check, type CheckOptions, defineOptions, wholeNumber } from "@partita/core/internal";
import type { Pool } from "pg";
import { isSchemaName } from "./connection/target.ts";

/** Options of `openPostgres`. */
export interface PostgresOptions {
  /**
   * Maximum number of connections, 1 or more; default 10. The server's `max_connections` limits those of all programs
   * together.
   *
   * ```ts
   * // Needs a PostgreSQL server.
   * const storage = await openPostgres("postgres://app@localhost/shop", { maxConnections: 4 });
   * ```
   */
  readonly maxConnections?: number | undefined;
  /**
   * How long a request waits for a free connection, or for the server to accept a new one, in milliseconds; default
   * 10,000. After that, it fails with `storage.server-busy`.
   *
   * ```ts
   * // Needs a PostgreSQL server.
   * const storage = await openPostgres("postgres://app@localhost/shop", { waitMs: 2000 });
   * ```
   */
  readonly waitMs?: number | undefined;
  /**
   * How long the server may take for a request, in milliseconds; default 30,000. After that, the request is cancelled
   * and fails with `storage.timeout`.
   *
   * ```ts
   * // Needs a PostgreSQL server.
   * const storage = await openPostgres("postgres://app@localhost/shop", { timeoutMs: 5000 });
   * ```
   */
  readonly timeoutMs?: number | undefined;
}

/** Options of `openPostgresPool`. */
export interface PostgresPoolOptions {
  /**
   * The schema with the tables; default `partita`.
   *
   * ```ts
   * // Needs a PostgreSQL server.
   * const storage = await openPostgresPool(pool, { schema: "shop" });
   * ```
   */
  readonly schema?: string | undefined;
  /**
   * How long the server may take for a request, in milliseconds; default 30,000.
   *
   * ```ts
   * // Needs a PostgreSQL server.
   * const storage = await openPostgresPool(pool, { timeoutMs: 5000 });
   * ```
   */
  readonly timeoutMs?: number | undefined;
}

export const defaultTimeoutMs = 30_000;

/** A longer delay of a timer would fire immediately. */
const aTime: Check<number> = {
  takes: "a whole number of milliseconds, 1 to 2147483647",
  accepts: (ms) => Number.isInteger(ms) && Number(ms) >= 1 && Number(ms) < 2 ** 31,
};

export const checkPostgresOptions: CheckOptions = defineOptions<PostgresOptions>(
  "openPostgres(target, options)",
  { maxConnections: wholeNumber(1), waitMs: aTime, timeoutMs: aTime },
  "storage.option",
);

export const checkPoolOptions: CheckOptions = defineOptions<PostgresPoolOptions>(
  "openPostgresPool(pool, options)",
  {
    timeoutMs: aTime,
    schema: accepted(
      "1 to 50 lower-case letters, digits and underscores",
      (value) => typeof value === "string" && isSchemaName(value),
    ),
  },
  "storage.option",
);

/** Whether this is a pool of the client library `pg`. */
export const isPool = (value: unknown): value is Pool =>
  typeof (value as Partial<Pool> | null)?.connect === "function" &&
  typeof (value as Pool).options === "object";
