import { StorageError } from "@partita/core";

/** A target, divided into the parts for PostgreSQL's client and for the storage. */
export interface PostgresTarget {
  /** For the client: may contain a password. */
  readonly connectionString: string;
  readonly schema: string;
  /** Without secrets, for messages. */
  readonly description: string;
}

export const defaultSchema = "partita";

/**
 * Reads `postgres://user:password@host:port/database?schema=partita`.
 *
 * @throws StorageError `storage.unknown-target`; it never quotes the target, which may contain a password
 */
export function readTarget(target: string): PostgresTarget {
  const url = URL.parse(target);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) throw malformed("The target is not a URL");
  const database = url.pathname.slice(1);
  if (database === "") throw malformed("The target names no database");
  const schema = url.searchParams.get("schema") ?? defaultSchema;
  if (!isSchemaName(schema))
    throw malformed("The schema's name is not 1 to 50 lower-case letters, digits and underscores");
  url.searchParams.delete("schema");
  const place = `postgres://${url.host || (url.searchParams.get("host") ?? "localhost")}/${database}`;
  return {
    connectionString: url.href,
    schema,
    description: schema === defaultSchema ? place : `${place}?schema=${schema}`,
  };
}

/** Such a name needs no quotation marks in SQL. */
export const isSchemaName = (name: string): boolean =>
  /^[a-z_][a-z0-9_]{0,49}$/.test(name) && !name.startsWith("pg_");

const malformed = (problem: string): StorageError =>
  new StorageError(
    "storage.unknown-target",
    `${problem}. Use "postgres://user:password@host/database", or end it with "?schema=name" for a schema of your own. Characters such as @ and / in a password must be percent-encoded.`,
    { applied: "no" },
  );
