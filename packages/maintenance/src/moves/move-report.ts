import type { RowLeftBehind } from "../upgrades/upgrade-report.ts";

/** How far a move is. */
export interface MoveProgress {
  /** Moving; or checking whether anything is left. In a dry run: counting the rows to move. */
  readonly phase: "count" | "move" | "verify";
  /** Rows read in this phase, by this worker. */
  readonly read: number;
  /** Rows that this worker moved. */
  readonly moved: number;
  /** Rows that another program changed in between, and that were moved one by one. */
  readonly changed: number;
}

/** The result of `moveRows`. */
export interface MoveReport {
  /** The table that rows are moved from. */
  readonly table: string;
  readonly isDryRun: boolean;
  /** Rows that this worker moved; in a dry run, those it would. */
  readonly moved: number;
  /** Rows that another program changed in between, and that were moved one by one. */
  readonly changed: number;
  /** Rows that stay under their former keys, and why; at most 1000 of them. */
  readonly left: readonly RowLeftBehind[];
  readonly leftCount: number;
  /** Whether no row has a former key now. Then remove `formerKeys` from the class. */
  readonly isClean: boolean;
}
