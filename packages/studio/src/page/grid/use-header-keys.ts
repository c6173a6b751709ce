import { withMove, withWidth } from "../state/column-layout.ts";
import { rangeAt } from "../state/cell-range.ts";
import { useStudio } from "../state/studio-context.ts";

/** Pixels of one step of a resize. */
const step = 20;

/**
 * Keys in the header: Enter sorts, Alt+Down opens the menu, Shift+arrows resize, Ctrl+Shift+arrows move the
 * column. The result tells whether a key has a meaning there.
 */
export function useHeaderKeys(): (event: KeyboardEvent) => boolean {
  const { grid } = useStudio();
  return ({ key, shiftKey, ctrlKey, metaKey, altKey }) => {
    const { line, column: at } = grid.range.value.cursor;
    const column = line < 0 ? grid.shown.value[at] : undefined;
    if (column === undefined) return false;
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (direction !== undefined && shiftKey && (ctrlKey || metaKey)) {
      const target = grid.shown.value[at + direction];
      if (target === undefined) return true;
      grid.changeLayout((layout) => withMove(layout, grid.columns.value, column.id, target.id));
      const found = grid.shown.value.findIndex(({ id }) => id === column.id);
      grid.range.value = rangeAt(-1, found);
    } else if (direction !== undefined && shiftKey)
      grid.changeLayout((layout) => withWidth(layout, column.id, column.width + direction * step));
    else if (key === "ContextMenu" || (key === "F10" && shiftKey) || (key === "ArrowDown" && altKey))
      grid.menu.value = column.id;
    else if (key === "Enter" || (key === " " && !ctrlKey && !metaKey)) grid.cycleSort(column.id);
    else return false;
    return true;
  };
}
