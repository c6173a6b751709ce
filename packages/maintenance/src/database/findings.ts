import type { EntityKey } from "@partita/core";

/**
 * The checks of {@link verifyDatabase}.
 *
 * - `structure`: the pages of the file, by SQLite's own check
 * - `schema`: the declarations of tables and indexes in the file
 * - `tables`: the list of tables, and the record of each
 * - `row`: a row is unchanged since it was written, by its checksum
 * - `key`: a row is found by its keys, once
 * - `index`: the index of a table's keys has as many entries as there are rows
 * - `totals`: the number and checksums of a table's rows match the totals that commits recorded
 */
export type DatabaseCheck = "structure" | "schema" | "tables" | "row" | "key" | "index" | "totals";

/** A problem in a file. */
export interface DatabaseFinding {
  /** The check that found it. */
  readonly check: DatabaseCheck;
  /** The table of the problem, if known. */
  readonly table?: string;
  /** The row's keys, if the problem is in one row. They may be damaged themselves. */
  readonly key?: EntityKey;
  /** The problem, without values of properties. */
  readonly message: string;
}

/** Maximum number of findings in a report. */
const maxListed = 100;

/** Collects findings. A badly damaged file may have one per row: all are counted, the first are listed. */
export class Findings {
  readonly listed: DatabaseFinding[] = [];
  count = 0;

  add(finding: DatabaseFinding): void {
    this.count++;
    if (this.listed.length < maxListed) this.listed.push(finding);
  }
}
