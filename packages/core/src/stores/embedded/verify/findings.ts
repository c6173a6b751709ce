import type { EntityKey } from "../../../values/edm/stored-entity.ts";

/**
 * What {@link verifyDatabase} looks at.
 *
 * - `structure`: the pages of the file, by SQLite's own check
 * - `schema`: what the file declares of its tables and indexes
 * - `tables`: the list of tables, and what is known of each
 * - `row`: a row is what was written, by its checksum
 * - `key`: a row is found by its keys, once
 * - `index`: the index of a table's keys has as many entries as there are rows
 * - `totals`: a table's rows add up to what every commit counted
 */
export type DatabaseCheck = "structure" | "schema" | "tables" | "row" | "key" | "index" | "totals";

/** Something that is wrong with a file. */
export interface DatabaseFinding {
  /** The check that found it. */
  readonly check: DatabaseCheck;
  /** The table it is in, where that is known. */
  readonly table?: string;
  /** The row's keys, where it is one row. They may be damaged themselves. */
  readonly key?: EntityKey;
  /** What is wrong, without values of properties. */
  readonly message: string;
}

/** Findings that a report lists. */
const maxListed = 100;

/** Collects findings. A file that is damaged throughout has as many as it has rows: all are counted, the first are listed. */
export class Findings {
  readonly listed: DatabaseFinding[] = [];
  count = 0;

  add(finding: DatabaseFinding): void {
    this.count++;
    if (this.listed.length < maxListed) this.listed.push(finding);
  }
}
