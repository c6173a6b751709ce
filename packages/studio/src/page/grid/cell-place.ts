import type { CSSProperties } from "preact";
import type { ColumnWindow } from "./column-window.ts";

interface CellPlace {
  readonly "data-pinned"?: boolean;
  /** The last pinned column has an edge. */
  readonly "data-edge"?: boolean;
  readonly style?: CSSProperties;
}

/** The position of a cell: a pinned one sticks to its left edge, the first of the others is after the gap. */
export function cellPlace(at: number, { pinned, lefts }: ColumnWindow, isFirstScrolled: boolean): CellPlace {
  if (at < pinned)
    return { "data-pinned": true, "data-edge": at === pinned - 1, style: { left: `${lefts[at] ?? 0}px` } };
  // The tracks before it: the check boxes, the pinned columns, and the gap.
  return isFirstScrolled ? { style: { gridColumnStart: String(pinned + 3) } } : {};
}
