import type { CellChange, RowKey } from "../../api/cells.ts";
import { RequestError } from "../request-error.ts";
import type { Conflict, OpenRow, StagedChange } from "../../api/staged.ts";

/** Sides of a conflict: one for all, or one for each property. */
export type Sides = "mine" | "theirs" | ReadonlyMap<string, "mine" | "theirs">;

/** What is edited and not saved yet: entities of classes in one implementation, rows as they are stored in the other. */
export interface Staging {
  /** Reads a row as it is stored now, or returns it with what is staged. @throws RequestError 404 */
  open(table: string, className: string | undefined, key: RowKey): Promise<OpenRow>;
  /** Whether an id is one of its rows. */
  has(id: string): boolean;
  /** The ETag that a row was read with; empty for a new one. @throws RequestError 404 for a row that is not open any more */
  etagOf(id: string): string;
  insert(input: NewRow): string;
  edit(id: string, changes: readonly CellChange[]): void;
  remove(id: string): void;
  /** Takes back what is staged of a row. */
  discard(id: string): void;
  changes(): readonly StagedChange[];
  /** Saves the rows without an open conflict, of those named, or all. Returns how many were stored; it does not throw for a refusal. */
  save(ids: ReadonlySet<string> | undefined): Promise<number>;
  /** @param theirEtag - of the conflict that was looked at: a row that was changed again is a conflict again */
  resolve(id: string, theirEtag: string | undefined, sides: Sides): Promise<void>;
}

/** A new row. */
export interface NewRow {
  readonly table: string;
  readonly className: string | undefined;
  readonly key: RowKey | undefined;
  readonly cells: readonly CellChange[];
}

/** @throws RequestError where there is no conflict, or a property that both sides changed has no choice: none is assumed */
export function checkSides(conflict: Conflict | undefined, sides: Sides): void {
  if (conflict === undefined) throw RequestError.wrongInput("This row has no conflict to resolve.");
  if (typeof sides === "string") return;
  const open = conflict.properties.find(({ name, needsChoice }) => needsChoice && !sides.has(name));
  if (open !== undefined) throw RequestError.wrongInput(`Choose mine or theirs for ${open.name}.`);
}
