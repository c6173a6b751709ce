import type { JSX } from "preact";
import { idOf } from "../state/row-tree.ts";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";
import type { GridColumn } from "./columns.ts";

interface LineProps {
  readonly index: number;
  readonly columns: readonly GridColumn[];
  /** Whether rows can have child rows. */
  readonly isTree: boolean;
  /** The focused cell, if it is in this line. */
  readonly activeColumn: number | undefined;
  readonly onActivate: (column: number) => void;
}

/** One row of the grid. */
export function GridLine({ index, columns, isTree, activeColumn, onActivate }: LineProps): JSX.Element {
  const studio = useStudio();
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
  const state = studio.staged.value.find(
    ({ table, key }) =>
      table === studio.table.value && key?.partitionKey === row.partitionKey && key.rowKey === row.rowKey,
  )?.state;
  const hasChildren = studio.hasChildren(row);
  return (
    <div
      class="line"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-level={isTree ? depth + 1 : undefined}
      aria-expanded={hasChildren ? isExpanded : undefined}
      data-staged={state}
      data-active={activeColumn !== undefined}
      onDblClick={() => void studio.openRow(row)}
    >
      <span class="cell check" role="gridcell">
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select ${printable(row.rowKey)}`}
          checked={isSelected}
          onChange={() => studio.select(row)}
        />
      </span>
      {columns.map((column, at) => {
        const text = column.valueOf(row);
        return (
          <span
            key={column.name}
            id={`cell-${index}-${at}`}
            class="cell"
            role="gridcell"
            data-active={activeColumn === at}
            data-key={column.isKey}
            data-type={column.type}
            data-absent={text === undefined}
            onClick={() => onActivate(at)}
          >
            {at === 0 && depth > 0 && <span class="indent" style={{ width: `${depth * 16}px` }} />}
            {at === 0 && hasChildren && (
              <button
                type="button"
                class="twist"
                tabIndex={-1}
                aria-label={isExpanded ? "Hide children" : "Show children"}
                onClick={() => void studio.toggleChildren(index)}
              >
                {isExpanded ? "▾" : "▸"}
              </button>
            )}
            {text === undefined ? "–" : printable(text)}
          </span>
        );
      })}
    </div>
  );
}
