import type { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { keyIndexOf, rowsOf, tableNames } from "@partita/core/internal/embedded";
import { emptyDatabase } from "./open-to-check.ts";
import type { Findings } from "./findings.ts";

/**
 * Compares the declarations in a file with those of this library. A damaged declaration is usually still valid, but may
 * read the rows in another order, or compare their keys by another rule.
 */
export function checkSchema(database: DatabaseSync, tableIds: readonly number[], findings: Findings): void {
  const model = emptyDatabase(tableIds);
  try {
    const names = [tableNames, "state", ...tableIds.map(rowsOf)];
    const indexes = [`sqlite_autoindex_${tableNames}_1`, ...tableIds.map(keyIndexOf)];
    for (const [describe, objects] of [
      [columnsOf, names],
      [columnsOfIndex, indexes],
      [indexesOf, names],
    ] as const)
      for (const name of objects)
        if (!isDeepStrictEqual(describe(database, name), describe(model, name)))
          findings.add({ check: "schema", message: `The declaration of ${name} has changed.` });
  } finally {
    model.close();
  }
}

const columnsOf = (database: DatabaseSync, table: string): unknown =>
  database
    .prepare(
      'SELECT cid, name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid',
    )
    .all(table);

const columnsOfIndex = (database: DatabaseSync, index: string): unknown =>
  database
    .prepare('SELECT seqno, name, "desc", coll, key FROM pragma_index_xinfo(?) ORDER BY seqno')
    .all(index);

/** The indexes that this library creates; programs may have added others. */
const indexesOf = (database: DatabaseSync, table: string): unknown =>
  database
    .prepare(
      `SELECT name, "unique", partial FROM pragma_index_list(?)
       WHERE name LIKE 'sqlite\\_autoindex\\_%' ESCAPE '\\' OR name LIKE 'rows%\\_key' ESCAPE '\\' ORDER BY name`,
    )
    .all(table);
