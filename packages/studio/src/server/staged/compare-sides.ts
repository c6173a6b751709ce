import type { Cell } from "../../api/cells.ts";
import type { Conflict, ConflictProperty, StagedProperty } from "../../api/staged.ts";
import type { Refusal } from "./open-rows.ts";

/**
 * The properties that a side has changed in type or value. Values are compared as JSON.
 *
 * @param theirs - empty for a row that was deleted
 */
export function compareSides(
  base: readonly Cell[],
  mine: readonly Cell[],
  theirs: readonly Cell[],
): ConflictProperty[] {
  return namesOf(base, mine, theirs).flatMap((name): ConflictProperty[] => {
    const [was, ours, stored] = [cellOf(base, name), cellOf(mine, name), cellOf(theirs, name)];
    const [isMine, isTheirs] = [!isSame(was, ours), !isSame(was, stored)];
    if (!isMine && !isTheirs) return [];
    const needsChoice = isMine && isTheirs && !isSame(ours, stored);
    return [{ name, base: was?.[2], mine: ours?.[2], theirs: stored?.[2], needsChoice }];
  });
}

/** A stored row, as one side of a conflict. */
interface Side {
  readonly etag: string;
  readonly cells: readonly Cell[];
}

/**
 * The refusal of a change because its row has changed.
 *
 * @param theirs - undefined for a row that was deleted
 */
export const conflictWith = (
  reason: Conflict["reason"],
  base: readonly Cell[],
  mine: readonly Cell[],
  theirs: Side | undefined,
): Refusal => ({
  error: "The stored row has changed since it was read.",
  isInDoubt: false,
  conflict: {
    reason: theirs === undefined ? "missing" : reason === "missing" ? "etag" : reason,
    theirEtag: theirs?.etag,
    properties: compareSides(base, mine, theirs?.cells ?? []),
  },
});

/** The names of properties that a change sets or clears, in type or value. */
export const changedNames = (before: readonly Cell[], after: readonly Cell[]): string[] =>
  namesOf(before, after).filter((name) => !isSame(cellOf(before, name), cellOf(after, name)));

/** The same with the values. */
export const compareCells = (before: readonly Cell[], after: readonly Cell[]): StagedProperty[] =>
  changedNames(before, after).map((name) => {
    const [was, is] = [cellOf(before, name), cellOf(after, name)];
    return { name, type: (is ?? was)?.[1] ?? "String", before: was?.[2], after: is?.[2] };
  });

const cellOf = (cells: readonly Cell[], name: string): Cell | undefined =>
  cells.find(([own]) => own === name);

const namesOf = (...sides: readonly (readonly Cell[])[]): string[] => [
  ...new Set(sides.flat().map(([name]) => name)),
];

const isSame = (a: Cell | undefined, b: Cell | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
