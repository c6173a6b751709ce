import type { CellChange, CellType, CellValue, Row, RowKey, UpgradedVersion } from "./cells.ts";

/** A row that is open in a form. */
export interface OpenRow extends Row {
  /** Identifies the row in later requests. */
  readonly id: string;
  readonly table: string;
}

/** A row that is open, or a new one, with its new values. */
export interface StagedEdit {
  readonly id: string;
  /** The ETag of the row in the form. */
  readonly etag: string;
  readonly changes: readonly CellChange[];
}

/** A new row. */
export interface StagedInsert {
  readonly table: string;
  readonly className?: string | undefined;
  /** For a row without a class. */
  readonly key?: RowKey | undefined;
  readonly cells: readonly CellChange[];
}

/** Rows of one class, as the page shows them. */
export interface SeenRows {
  readonly table: string;
  readonly className?: string | undefined;
  readonly rows: readonly (RowKey & { readonly etag: string })[];
}

/** The same change of many rows. */
export interface StagedMultiEdit extends SeenRows {
  readonly changes: readonly CellChange[];
}

/** The result of an edit or a delete of many rows. */
export interface MultiEditResult {
  readonly staged: number;
  /** Rows that were changed or deleted after the page read them. Nothing is staged for them. */
  readonly changedSince: readonly RowKey[];
}

/** A change that is not saved yet. */
export interface StagedChange {
  readonly id: string;
  readonly table: string;
  readonly className: string | undefined;
  readonly key: RowKey | undefined;
  /** Class and key of the row. */
  readonly subject: string;
  readonly state: "added" | "modified" | "deleted";
  readonly properties: readonly StagedProperty[];
  /** Set for a row of an older version. Saving the change upgrades the row. */
  readonly version: UpgradedVersion | undefined;
  /** The reason why the last save did not store it. */
  readonly error: string | undefined;
  /** Whether the response to the last save was lost, so the change may be stored. */
  readonly isInDoubt: boolean;
  readonly conflict: Conflict | undefined;
}

/** A property before and after. Undefined if it has no value. */
export interface StagedProperty {
  readonly name: string;
  /** The type of the new value, or else of the old one. */
  readonly type: CellType;
  readonly before: CellValue | undefined;
  readonly after: CellValue | undefined;
}

/** A change that the service refused because the stored row has changed. */
export interface Conflict {
  /** `exists`: another row has the new row's key; `missing`: the row was deleted; `etag`: it was changed. */
  readonly reason: "exists" | "missing" | "etag";
  /** The version of the stored row in the conflict. It is returned with the choices. */
  readonly theirEtag: string | undefined;
  readonly properties: readonly ConflictProperty[];
}

/** A property that at least one side changed. */
export interface ConflictProperty {
  readonly name: string;
  readonly base: CellValue | undefined;
  readonly mine: CellValue | undefined;
  readonly theirs: CellValue | undefined;
  /** Whether both sides changed it to different values, so the user must choose. */
  readonly needsChoice: boolean;
}

/** The resolution of a conflict. */
export interface Resolution {
  readonly id: string;
  readonly theirEtag: string | undefined;
  /** One side for the complete row, or one for each property in conflict. */
  readonly choice: "mine" | "theirs" | Readonly<Record<string, "mine" | "theirs">>;
}

/** The result of a save. */
export interface SaveSummary {
  readonly saved: number;
  readonly staged: readonly StagedChange[];
}
