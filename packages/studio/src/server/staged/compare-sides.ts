import type { Cell, CellValue } from "../../api/cells.ts";
import type { ConflictProperty, StagedProperty } from "../../api/staged.ts";

/**
 * The properties of which a side differs from what was read. Values are compared as JSON.
 *
 * @param theirs - empty for a row that was removed
 */
export function compareSides(
  base: readonly Cell[],
  mine: readonly Cell[],
  theirs: readonly Cell[],
): ConflictProperty[] {
  const [was, ours, stored] = [base, mine, theirs].map(valuesOf) as [Values, Values, Values];
  return namesOf(base, mine, theirs).flatMap((name): ConflictProperty[] => {
    const [b, m, t] = [was.get(name), ours.get(name), stored.get(name)];
    const [isMine, isTheirs] = [!isSame(b, m), !isSame(b, t)];
    if (!isMine && !isTheirs) return [];
    return [{ name, base: b, mine: m, theirs: t, needsChoice: isMine && isTheirs && !isSame(m, t) }];
  });
}

/** The properties that a change sets or clears. */
export function compareCells(before: readonly Cell[], after: readonly Cell[]): StagedProperty[] {
  const [was, is] = [valuesOf(before), valuesOf(after)];
  return namesOf(before, after)
    .map((name) => ({ name, before: was.get(name), after: is.get(name) }))
    .filter(
      (each) => !isSame(each.before, each.after) || typeOf(before, each.name) !== typeOf(after, each.name),
    );
}

type Values = ReadonlyMap<string, CellValue>;

const valuesOf = (cells: readonly Cell[]): Values => new Map(cells.map(([name, , value]) => [name, value]));

const namesOf = (...sides: readonly (readonly Cell[])[]): string[] => [
  ...new Set(sides.flat().map(([name]) => name)),
];

const isSame = (a: CellValue | undefined, b: CellValue | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

const typeOf = (cells: readonly Cell[], name: string): string | undefined =>
  cells.find((cell) => cell[0] === name)?.[1];
