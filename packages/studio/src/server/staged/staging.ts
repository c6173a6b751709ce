import type { CellChange, RowKey } from "../../api/cells.ts";
import { RequestError } from "../request-error.ts";
import type { Conflict, OpenRow, StagedChange } from "../../api/staged.ts";

/** Sides of a conflict: one for all, or one for each property. */
export type Sides = "mine" | "theirs" | ReadonlyMap<string, "mine" | "theirs">;

/** The unsaved changes. One implementation is for entities of classes, the other for stored rows. */
export interface Staging {
  /** Reads the current stored row, or returns it with its staged change. @throws RequestError 404 */
  open(table: string, className: string | undefined, key: RowKey): Promise<OpenRow>;
  /** Whether an id belongs to one of its rows. */
  has(id: string): boolean;
  /**
   * The ETag that a row was read with. Empty for a new row.
   *
   * @throws RequestError 404 for a row that is no longer open
   */
  etagOf(id: string): string;
  insert(input: NewRow): string;
  edit(id: string, changes: readonly CellChange[]): void;
  remove(id: string): void;
  /** Discards the staged change of a row. */
  discard(id: string): void;
  changes(): readonly StagedChange[];
  /**
   * Saves the given rows, or all, except those with an open conflict. Returns the number of rows stored. It
   * does not throw for a refusal.
   */
  save(ids: ReadonlySet<string> | undefined): Promise<number>;
  /** @param theirEtag - of the displayed conflict; a row that was changed again is a conflict again */
  resolve(id: string, theirEtag: string | undefined, sides: Sides): Promise<void>;
}

/** A new row. */
export interface NewRow {
  readonly table: string;
  readonly className: string | undefined;
  readonly key: RowKey | undefined;
  readonly cells: readonly CellChange[];
}

/** @throws RequestError if there is no conflict, or a property that both sides changed has no choice */
export function checkSides(conflict: Conflict | undefined, sides: Sides): void {
  if (conflict === undefined) throw RequestError.wrongInput("This row has no conflict to resolve.");
  if (typeof sides === "string") return;
  const open = conflict.properties.find(({ name, needsChoice }) => needsChoice && !sides.has(name));
  if (open !== undefined) throw RequestError.wrongInput(`Choose mine or theirs for ${open.name}.`);
}
