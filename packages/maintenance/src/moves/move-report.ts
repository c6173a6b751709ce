import type { RowLeftBehind } from "../upgrades/upgrade-report.ts";

/** The progress of a move. */
export interface MoveProgress {
  /** `move`: moving; `verify`: checking whether anything is left; `count`: counting the rows to move, in a dry run. */
  readonly phase: "count" | "move" | "verify";
  /** Rows read in this phase, by this worker. */
  readonly read: number;
  /** Rows that this worker moved. */
  readonly moved: number;
  /** Rows that another program changed in between; they were moved one by one. */
  readonly changed: number;
}

/** The result of `moveRows`. */
export interface MoveReport {
  /** The former table of the rows. */
  readonly table: string;
  readonly isDryRun: boolean;
  /** Rows that this worker moved; in a dry run, rows that it would move. */
  readonly moved: number;
  /** Rows that another program changed in between; they were moved one by one. */
  readonly changed: number;
  /** Rows that stay under their former keys, with the reasons; at most 1000 of them. */
  readonly left: readonly RowLeftBehind[];
  readonly leftCount: number;
  /** Whether no row has a former key now. You can then remove `formerKeys` from the class. */
  readonly isClean: boolean;
}
