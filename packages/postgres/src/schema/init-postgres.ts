import { StorageError } from "@partita/core";
import { createPool } from "../connection/create-pool.ts";
import { readTarget } from "../connection/target.ts";
import { type Send, Statements } from "../connection/statements.ts";
import { defaultTimeoutMs } from "../postgres-options.ts";
import { otherVersion } from "./check-schema.ts";
import { grantsFor, schemaSql, schemaVersion } from "./schema-sql.ts";

/** The result of `initPostgres`. */
export interface PostgresSchema {
  /** The name of the schema. */
  readonly schema: string;
  /** The version that was there before; undefined if the schema is new. */
  readonly before: number | undefined;
  readonly version: number;
  /** Returns the SQL statements that let a role read and write the tables without changing the schema. */
  readonly grantsFor: (role: string) => readonly string[];
}

/**
 * Creates the schema of a target in its database, or upgrades it. Run it once per database, with a role that may create
 * schemas. If several programs run it at once, they take turns. Rows are not changed.
 *
 * @example
 * ```ts
 * // Needs a PostgreSQL server.
 * const { grantsFor } = await initPostgres("postgres://owner@localhost/shop");
 * console.log(grantsFor("app").join("\n")); // for the role of your application
 * ```
 *
 * @throws StorageError `storage.postgres-schema` if a newer release made the schema; `storage.postgres-access` if the
 *   role may not create it; `storage.postgres-encoding` if the database does not store Unicode
 */
export async function initPostgres(target: string): Promise<PostgresSchema> {
  const { connectionString, schema, description } = readTarget(target);
  const pool = createPool(connectionString, 1, 10_000);
  try {
    const statements = new Statements(pool, description, defaultTimeoutMs);
    return await statements.transaction(async (send) => {
      await checkEncoding(send, description);
      await send(`select pg_advisory_xact_lock(hashtext('partita init ${schema}'))`);
      const before = await versionOf(send, schema);
      if (before !== undefined && before > schemaVersion) throw otherVersion(description, before);
      await send(schemaSql(schema));
      return { schema, before, version: schemaVersion, grantsFor: (role) => grantsFor(schema, role) };
    });
  } finally {
    await pool.end();
  }
}

async function versionOf(send: Send, schema: string): Promise<number | undefined> {
  const [[exists] = []] = await send(`select to_regproc('${schema}.schema_version') is not null`);
  if (exists !== true) return undefined;
  const [[version] = []] = await send(`select ${schema}.schema_version()`);
  return Number(version);
}

async function checkEncoding(send: Send, place: string): Promise<void> {
  const [[encoding] = []] = await send("show server_encoding");
  if (encoding === "UTF8") return;
  throw new StorageError(
    "storage.postgres-encoding",
    `${place} has the encoding ${encoding}. Create the database with the encoding UTF8: create database ... encoding 'UTF8' template template0.`,
    { applied: "no", status: 400 },
  );
}
