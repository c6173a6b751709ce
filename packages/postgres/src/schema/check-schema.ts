import { StorageError } from "@partita/core";
import type { Statements } from "../connection/statements.ts";
import { schemaVersion } from "./schema-sql.ts";

/** Refuses a schema of another version. @throws StorageError `storage.postgres-schema`, or why it cannot be read */
export async function checkSchema(statements: Statements, s: string, place: string): Promise<void> {
  const text = `select ${s}.schema_version()`;
  const [[version] = []] = await statements.run({ text, values: [], isPrepared: false, writes: false });
  if (version !== schemaVersion) throw otherVersion(place, Number(version));
}

/** The error for a schema that this release does not know, or that has to be upgraded. */
export const otherVersion = (place: string, version: number): StorageError =>
  new StorageError(
    "storage.postgres-schema",
    version > schemaVersion
      ? `${place} has version ${version} of the schema, which a newer release of @partita/postgres made. This release reads version ${schemaVersion}: install the newer one.`
      : `${place} has version ${version} of the schema. Upgrade it to version ${schemaVersion} with "partita postgres init <target>".`,
    { applied: "no", status: 500 },
  );
