import type { EntityKey } from "@partita/core";
import type { VersionCount } from "./census.ts";

/** The progress of a background upgrade. */
export interface UpgradeProgress {
  /**
   * `upgrade`: upgrading; `verify`: checking whether anything is left; `count`: counting the stored rows, in a dry run.
   */
  readonly phase: "count" | "upgrade" | "verify";
  /** The pass over the table, from 1. There are several if another program writes older rows meanwhile. */
  readonly pass: number;
  /** Rows read in this phase of this pass, by this worker. */
  readonly read: number;
  /** The number of rows in the table, once they are counted: after the first pass over it. */
  readonly total: number | undefined;
  /** Rows that this worker stored, in all passes. In the first pass never more than `read`. */
  readonly upgraded: number;
  /** Rows that another program changed in between; they were checked again. */
  readonly changed: number;
}

/** A row that was not upgraded or moved, with the reason. */
export interface RowLeftBehind {
  readonly key: EntityKey;
  readonly reason: Error;
}

/** The result of a background upgrade. */
export interface UpgradeReport {
  readonly table: string;
  readonly isDryRun: boolean;
  /** The rows of `after`; those that this worker upgraded are counted under their former versions. */
  readonly before: readonly VersionCount[];
  /** Rows by kind and version, counted at the end. */
  readonly after: readonly VersionCount[];
  /** Rows that this worker stored; in a dry run, rows that it would store. */
  readonly upgraded: number;
  readonly changed: number;
  /** Rows that could not be upgraded, at most 1000 of them. */
  readonly left: readonly RowLeftBehind[];
  readonly leftCount: number;
  /**
   * Whether no row of these classes has an older version now. You can then declare this in the model:
   * `upgrades(…).clean()`.
   */
  readonly isClean: boolean;
}
