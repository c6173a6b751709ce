import type { CellChange, RowKey } from "./cells.ts";
import type { StagedChange } from "./staged.ts";

/** New values of cells of one row, in the version that the page has read. */
export interface RowEdit extends RowKey {
  readonly className?: string | undefined;
  readonly etag: string;
  readonly changes: readonly CellChange[];
}

/** A cell that was not staged. Without a name, none of the row's cells were. */
export interface RefusedCell extends RowKey {
  readonly name?: string | undefined;
  /** The reason, as a sentence. */
  readonly message: string;
}

/** The result of an edit of cells. */
export interface CellEditResult {
  readonly staged: readonly StagedChange[];
  readonly refused: readonly RefusedCell[];
}

/** Complete stored rows as text, with their EDM types. */
export interface CopiedRows {
  readonly text: string;
  /** Rows that no longer exist. */
  readonly missing: number;
}

/** The result of pasting rows. */
export interface PastedRows {
  readonly staged: readonly StagedChange[];
  readonly added: number;
  readonly changed: number;
  /** Rows that are stored with the same values. */
  readonly unchanged: number;
  /** Reasons why other rows are not staged, as sentences. */
  readonly refused: readonly string[];
}
