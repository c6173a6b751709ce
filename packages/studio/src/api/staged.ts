import type { CellChange, CellValue, Row, RowKey, UpgradedVersion } from "./cells.ts";

/** A row that is open in a form. */
export interface OpenRow extends Row {
  /** Names the row in later requests. */
  readonly id: string;
  readonly table: string;
}

/** A row that is open, or a new one, with what is to be stored of it. */
export interface StagedEdit {
  readonly id: string;
  /** Of the row as the form shows it. */
  readonly etag: string;
  readonly changes: readonly CellChange[];
}

/** A new row. */
export interface StagedInsert {
  readonly table: string;
  readonly className?: string | undefined;
  /** For a row as it is stored. */
  readonly key?: RowKey | undefined;
  readonly cells: readonly CellChange[];
}

/** Rows of one class, as the page shows them. */
export interface SeenRows {
  readonly table: string;
  readonly className?: string | undefined;
  readonly rows: readonly (RowKey & { readonly etag: string })[];
}

/** One change of many rows. */
export interface StagedMultiEdit extends SeenRows {
  readonly changes: readonly CellChange[];
}

/** What became of an edit or a removal of many rows. */
export interface MultiEditResult {
  readonly staged: number;
  /** Rows that were changed or removed since the page read them; nothing is staged for them. */
  readonly changedSince: readonly RowKey[];
}

/** A change that is not saved yet. */
export interface StagedChange {
  readonly id: string;
  readonly table: string;
  readonly className: string | undefined;
  readonly key: RowKey | undefined;
  /** The row in words: class and key. */
  readonly subject: string;
  readonly state: "added" | "modified" | "deleted";
  readonly properties: readonly StagedProperty[];
  /** Of a row of an older version: to save it upgrades it. */
  readonly version: UpgradedVersion | undefined;
  /** Why the last save did not store it. */
  readonly error: string | undefined;
  /** Whether the last save lost its answer: the change may be stored. */
  readonly isInDoubt: boolean;
  readonly conflict: Conflict | undefined;
}

/** A property before and after; undefined where it has no value. */
export interface StagedProperty {
  readonly name: string;
  readonly before: CellValue | undefined;
  readonly after: CellValue | undefined;
}

/** A change that the service refused, since the row is not as it was. */
export interface Conflict {
  /** `exists`: a row with the new row's key; `missing`: the row was removed; `etag`: it was changed. */
  readonly reason: "exists" | "missing" | "etag";
  /** Names the stored row that the conflict was seen with; it goes back with the choices. */
  readonly theirEtag: string | undefined;
  readonly properties: readonly ConflictProperty[];
}

/** A property of which one side or both differ from what was read. */
export interface ConflictProperty {
  readonly name: string;
  readonly base: CellValue | undefined;
  readonly mine: CellValue | undefined;
  readonly theirs: CellValue | undefined;
  /** Whether both sides changed it, and not to the same value: somebody has to choose. */
  readonly needsChoice: boolean;
}

/** How a conflict is resolved. */
export interface Resolution {
  readonly id: string;
  readonly theirEtag: string | undefined;
  /** One side for the whole row, or one for each property in conflict. */
  readonly choice: "mine" | "theirs" | Readonly<Record<string, "mine" | "theirs">>;
}

/** What a save did. */
export interface SaveSummary {
  readonly saved: number;
  readonly staged: readonly StagedChange[];
}
