import pg from "pg";
import { readTarget } from "../connection/target.ts";
import { Statements } from "../connection/statements.ts";
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
  grantsFor(role: string): readonly string[];
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
 *   role may not create it
 */
export async function initPostgres(target: string): Promise<PostgresSchema> {
  const { connectionString, schema, description } = readTarget(target);
  const pool = new pg.Pool({ connectionString, application_name: "partita", max: 1 });
  try {
    const statements = new Statements(pool, description);
    const before = await versionOf(statements, schema);
    if (before !== undefined && before > schemaVersion) throw otherVersion(description, before);
    const lock = `begin; select pg_advisory_xact_lock(hashtext('partita init ${schema}'));`;
    await statements.runAll(`${lock} ${schemaSql(schema)} commit`);
    return { schema, before, version: schemaVersion, grantsFor: (role) => grantsFor(schema, role) };
  } finally {
    await pool.end();
  }
}

async function versionOf(statements: Statements, schema: string): Promise<number | undefined> {
  const text = `select to_regproc('${schema}.schema_version') is not null`;
  const read = async (sql: string): Promise<unknown> => {
    const [[value] = []] = await statements.run({ text: sql, values: [], isPrepared: false, writes: false });
    return value;
  };
  return (await read(text)) === true ? Number(await read(`select ${schema}.schema_version()`)) : undefined;
}
