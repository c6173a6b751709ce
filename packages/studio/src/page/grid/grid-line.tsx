import type { JSX } from "preact";
import { isInside, rectangleOf } from "../state/cell-range.ts";
import { idOf } from "../state/row-keys.ts";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";
import { checkWidth, type ColumnWindow, columnsIn } from "./column-window.ts";
import type { GridColumn } from "./columns.ts";
import { GridCell } from "./grid-cell.tsx";

interface LineProps {
  readonly index: number;
  readonly columns: readonly GridColumn[];
  readonly across: ColumnWindow;
  /** Whether rows can have child rows. */
  readonly isTree: boolean;
}

/** One row of the grid. */
export function GridLine({ index, columns, across, isTree }: LineProps): JSX.Element {
  const studio = useStudio();
  const { grid } = studio;
  const { row, depth, isExpanded } = studio.tree.value?.lineAt(index) ?? {
    row: undefined,
    depth: 0,
    isExpanded: false,
  };
  if (row === undefined)
    return (
      <div class="line loading" role="row" aria-rowindex={index + 2}>
        <span class="cell" role="gridcell">
          …
        </span>
      </div>
    );
  const isSelected = studio.selected.value.has(idOf(row));
  const hasChildren = studio.hasChildren(row);
  const { cursor } = grid.range.value;
  const rectangle = rectangleOf(grid.range.value);
  const twist = { depth, isParent: hasChildren, isExpanded, toggle: () => void studio.toggleChildren(index) };
  return (
    <div
      class="line"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-level={isTree ? depth + 1 : undefined}
      aria-expanded={hasChildren ? isExpanded : undefined}
      data-staged={grid.changes.value.get(idOf(row))?.[0]?.state}
      data-active={cursor.line === index}
    >
      <span class="cell check" role="gridcell" aria-colindex={1} style={{ width: `${checkWidth}px` }}>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select ${printable(row.rowKey)}`}
          checked={isSelected}
          onChange={() => studio.select(row)}
        />
        <button
          type="button"
          class="open-row"
          tabIndex={-1}
          title="Open this row (Ctrl+Enter)"
          aria-label={`Open ${printable(row.rowKey)}`}
          onClick={() => void studio.openRow(row)}
        >
          <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
            <path d="M4.5 2.5 8 6 4.5 9.5" />
          </svg>
        </button>
      </span>
      {columnsIn(across).map((at, place) => {
        const column = columns[at] as GridColumn;
        return (
          <GridCell
            key={column.id}
            line={index}
            at={at}
            column={column}
            row={row}
            across={across}
            isFirstScrolled={place === across.pinned}
            isCursor={cursor.line === index && cursor.column === at}
            isInRange={isInside(rectangle, { line: index, column: at })}
            twist={at === 0 ? twist : undefined}
          />
        );
      })}
    </div>
  );
}
