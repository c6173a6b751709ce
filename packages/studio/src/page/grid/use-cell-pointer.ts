import { rangeAt } from "../state/cell-range.ts";
import { useStudio } from "../state/studio-context.ts";
import { cellOfElement } from "./cell-ids.ts";
import { startEdit } from "./start-edit.ts";

interface CellPointer {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onDblClick: (event: MouseEvent) => void;
}

/** The pointer in the cells: a click moves the cursor, a drag or a click with Shift selects a range. */
export function useCellPointer(): CellPointer {
  const studio = useStudio();
  const { grid } = studio;
  return {
    onPointerDown(event) {
      const cell = cellOfElement(event.target);
      if (cell === undefined || event.button !== 0 || isControl(event.target)) return;
      const { anchor } = grid.range.value;
      grid.range.value = event.shiftKey ? { anchor, cursor: cell } : rangeAt(cell.line, cell.column);
    },
    onPointerMove(event) {
      if (event.buttons !== 1 || grid.edited.value !== undefined || isControl(event.target)) return;
      const cell = cellOfElement(event.target);
      const { cursor, anchor } = grid.range.value;
      if (cell === undefined || (cell.line === cursor.line && cell.column === cursor.column)) return;
      grid.range.value = { anchor, cursor: cell };
    },
    onDblClick(event) {
      const cell = cellOfElement(event.target);
      if (cell !== undefined && !isControl(event.target)) startEdit(studio, cell);
    },
  };
}

/** Whether an element reacts to the pointer itself. */
const isControl = (target: EventTarget | null): boolean =>
  (target as Partial<Element> | null)?.closest?.("input, button") != null;
