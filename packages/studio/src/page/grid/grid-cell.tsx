import type { JSX } from "preact";
import type { Cell, Row } from "../../api/cells.ts";
import { useStudio } from "../state/studio-context.ts";
import { cellLine } from "../text/cell-text.ts";
import { ValueText } from "../text/value-text.tsx";
import { CellEditor } from "./cell-editor.tsx";
import { lineCellId } from "./cell-ids.ts";
import { cellPlace } from "./cell-place.ts";
import type { ColumnWindow } from "./column-window.ts";
import type { GridColumn } from "./columns.ts";

/** The children of a row, at its first cell. */
interface Twist {
  readonly depth: number;
  readonly isParent: boolean;
  readonly isExpanded: boolean;
  readonly toggle: () => void;
}

interface CellProps {
  readonly line: number;
  readonly at: number;
  readonly column: GridColumn;
  readonly row: Row;
  readonly across: ColumnWindow;
  readonly isFirstScrolled: boolean;
  readonly isCursor: boolean;
  readonly isInRange: boolean;
  readonly twist: Twist | undefined;
}

/** One value, or its editor. */
export function GridCell(props: CellProps): JSX.Element {
  const { line, at, column, row, across, isFirstScrolled, isCursor, isInRange, twist } = props;
  const { grid, info } = useStudio();
  const cell = grid.cellOf(column, row);
  const refused = grid.refusedIn(column, row);
  const { edited } = grid;
  const isEdited = edited.value?.row === row && edited.value.column.id === column.id;
  const isFixed = info.value?.isReadOnly !== true && column.typeIn(row) === undefined;
  return (
    <span
      id={lineCellId(line, at)}
      class="cell"
      role="gridcell"
      aria-colindex={at + 2}
      aria-selected={isInRange}
      aria-readonly={isFixed ? true : undefined}
      aria-invalid={refused === undefined ? undefined : true}
      title={refused?.message}
      data-active={isCursor}
      data-range={isInRange}
      data-key={column.isKey}
      data-type={cell?.[1] ?? column.types[0]}
      data-absent={cell === undefined}
      data-changed={grid.stagedIn(column, row) !== undefined}
      {...cellPlace(at, across, isFirstScrolled)}
    >
      {isEdited ? (
        <CellEditor line={line} at={at} />
      ) : (
        <>
          {twist !== undefined && <TwistButton {...twist} />}
          <CellValueText cell={cell} />
        </>
      )}
    </span>
  );
}

function CellValueText({ cell }: { readonly cell: Cell | undefined }): JSX.Element {
  if (cell === undefined) return <>–</>;
  return <ValueText text={cellLine(cell[2])} />;
}

function TwistButton({ depth, isParent, isExpanded, toggle }: Twist): JSX.Element {
  return (
    <>
      {depth > 0 && <span class="indent" style={{ width: `${depth * 16}px` }} />}
      {isParent && (
        <button
          type="button"
          class="twist"
          tabIndex={-1}
          aria-label={isExpanded ? "Hide children" : "Show children"}
          onClick={toggle}
        >
          {isExpanded ? "▾" : "▸"}
        </button>
      )}
    </>
  );
}
