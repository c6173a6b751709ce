import type { EntityKey } from "@partita/core";
import type { VersionCount } from "./census.ts";

/** How far a background upgrade is. */
export interface UpgradeProgress {
  /** Upgrading; or checking whether anything is left. In a dry run: counting the stored rows. */
  readonly phase: "count" | "upgrade" | "verify";
  /** Rows read in this phase, by this worker. */
  readonly read: number;
  /** Rows of the table, once they are counted: after the first pass over it. */
  readonly total: number | undefined;
  readonly upgraded: number;
  /** Rows that another program changed in between, and that were checked again. */
  readonly changed: number;
}

/** A row that stays of an older version, and why. */
export interface RowLeftBehind {
  readonly key: EntityKey;
  readonly reason: Error;
}

/** The result of a background upgrade. */
export interface UpgradeReport {
  readonly table: string;
  readonly isDryRun: boolean;
  /** The rows of `after`, with the ones that this worker upgraded counted under their former versions. */
  readonly before: readonly VersionCount[];
  /** Rows by kind and version, counted at the end. */
  readonly after: readonly VersionCount[];
  /** Rows this worker stored; in a dry run, those it would. */
  readonly upgraded: number;
  readonly changed: number;
  /** Rows that could not be upgraded, at most 1000 of them. */
  readonly left: readonly RowLeftBehind[];
  readonly leftCount: number;
  /** Whether no row of these classes has an older version now. Then declare it in the model: `upgrades(…).clean()`. */
  readonly isClean: boolean;
}
