import type { JSX } from "preact";
import { isInside, rectangleOf } from "../state/cell-range.ts";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";
import { headerCellId } from "./cell-ids.ts";
import { cellPlace } from "./cell-place.ts";
import { checkWidth, type ColumnWindow, columnsIn } from "./column-window.ts";
import type { GridColumn } from "./columns.ts";
import { useColumnDrag } from "./use-column-drag.ts";

interface HeadProps {
  readonly columns: readonly GridColumn[];
  readonly across: ColumnWindow;
}

/** The header of the grid. A click sorts, a drag moves a column, its right edge resizes it. */
export function GridHead({ columns, across }: HeadProps): JSX.Element {
  const { grid } = useStudio();
  const drag = useColumnDrag();
  const range = grid.range.value;
  const { left, right } = rectangleOf(range);
  const sort = grid.sort.value;
  return (
    <div class="grid-head" role="row" aria-rowindex={1}>
      <span class="cell check" role="columnheader" aria-colindex={1} style={{ width: `${checkWidth}px` }}>
        <span class="hidden">Selected</span>
      </span>
      {columnsIn(across).map((at, place) => {
        const { id, name, types, isKey } = columns[at] as GridColumn;
        const isSorted = sort?.id === id;
        const direction = sort?.isDescending === true ? "descending" : "ascending";
        return (
          <span
            key={id}
            id={headerCellId(at)}
            class="cell head"
            role="columnheader"
            aria-colindex={at + 2}
            aria-sort={isSorted ? direction : undefined}
            data-key={isKey}
            data-active={range.cursor.line < 0 && range.cursor.column === at}
            data-range={isInside({ top: -1, bottom: 0, left, right }, { line: 0, column: at })}
            title={`${printable(name)}: ${types.join(", ")}`}
            {...cellPlace(at, across, place === across.pinned)}
            {...drag.ofColumn(id)}
          >
            <span class="head-name">
              <span>
                <bdi>{printable(name)}</bdi>
                {isSorted && <span class="sorted"> {sort.isDescending ? "↓" : "↑"}</span>}
              </span>
              <small>{types.join(", ")}</small>
            </span>
            <button
              type="button"
              class="menu-button"
              tabIndex={-1}
              aria-haspopup="menu"
              aria-expanded={grid.menu.value === id}
              aria-label={`Menu of ${printable(name)}`}
              onClick={() => (grid.menu.value = grid.menu.value === id ? undefined : id)}
            >
              ⋮
            </button>
            <span class="resize" aria-hidden="true" {...drag.ofEdge(id)} />
          </span>
        );
      })}
    </div>
  );
}
