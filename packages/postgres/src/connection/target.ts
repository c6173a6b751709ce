import { StorageError } from "@partita/core";
import type { PoolConfig } from "pg";

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
  // "postgres://user:1/x@host/db" has the host "user": the rest of its password must not get into messages.
  if (/[@/]/.test(database)) throw malformed("The target has a character that must be percent-encoded");
  if (![url.username, url.password, database].every(isEncoded))
    throw malformed("The target has a % that is not part of a percent-encoded character");
  const schema = url.searchParams.get("schema") ?? defaultSchema;
  if (!isSchemaName(schema))
    throw malformed("The schema's name is not 1 to 50 lower-case letters, digits and underscores");
  url.searchParams.delete("schema");
  const host = url.host || (url.searchParams.get("host") ?? undefined);
  return { connectionString: url.href, schema, description: describe(host, database, schema) };
}

/** Describes the database of a pool, without secrets. */
export function placeOf({ connectionString, host, database = "" }: PoolConfig, schema: string): string {
  const url = connectionString === undefined ? null : URL.parse(connectionString);
  if (url === null) return describe(host, database, schema);
  const path = url.pathname.slice(1);
  return describe(url.host, /[@/]/.test(path) ? "" : path, schema);
}

const describe = (host = "localhost", database: string, schema: string): string =>
  `postgres://${host}/${database}${schema === defaultSchema ? "" : `?schema=${schema}`}`;

/** Such a name needs no quotation marks in SQL. */
export const isSchemaName = (name: string): boolean =>
  /^[a-z_][a-z0-9_]{0,49}$/.test(name) && !name.startsWith("pg_");

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export const malformed = (problem: string): StorageError =>
  new StorageError(
    "storage.unknown-target",
    `${problem}. Use "postgres://user:password@host/database", or end it with "?schema=name" for a schema of your own. Characters such as @ and / in a password must be percent-encoded.`,
    { applied: "no" },
  );
