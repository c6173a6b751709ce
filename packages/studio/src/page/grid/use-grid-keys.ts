import { type GridSize, moved, rangeAt } from "../state/cell-range.ts";
import { useStudio } from "../state/studio-context.ts";
import { useHeaderKeys } from "./use-header-keys.ts";
import { startEdit } from "./start-edit.ts";

interface GridKeys {
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** The keyboard in the grid, as in spreadsheets. Keys of an editor and of a menu stay there. */
export function useGridKeys(size: GridSize): GridKeys {
  const studio = useStudio();
  const { grid } = studio;
  const onHeaderKey = useHeaderKeys();
  return {
    onKeyDown(event) {
      if (event.target !== event.currentTarget || size.columns === 0) return;
      if (onHeaderKey(event) || onCellKey(event)) event.preventDefault();
    },
  };

  /** Returns whether a key has a meaning. */
  function onCellKey(event: KeyboardEvent): boolean {
    const { key } = event;
    const { cursor } = grid.range.value;
    const row = cursor.line < 0 ? undefined : studio.tree.value?.lineAt(cursor.line).row;
    const far = event.ctrlKey || event.metaKey;
    if (togglesChildren(event)) return true;
    const range = moved(grid.range.value, event, size);
    if (range !== undefined) {
      grid.range.value = range;
      return true;
    }
    if (row === undefined) return false;
    if (key === "Enter" && far) void studio.openRow(row);
    else if (key === "Enter" || key === "F2") startEdit(studio, cursor);
    else if (key === " ") studio.select(row);
    else if (key === "Delete" && studio.info.value?.isReadOnly === false) void studio.clipboard.clear();
    else if (isTyped(event)) startEdit(studio, cursor, key);
    else return false;
    return true;
  }

  /** Right and Left in the first cell of a parent show and hide its children. */
  function togglesChildren({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
    const { line, column } = grid.range.value.cursor;
    if (line < 0 || column > 0 || ctrlKey || metaKey || shiftKey) return false;
    const { row, isExpanded } = studio.tree.value?.lineAt(line) ?? {};
    if (row === undefined || !studio.hasChildren(row)) return false;
    if (key !== (isExpanded === true ? "ArrowLeft" : "ArrowRight")) return false;
    grid.range.value = rangeAt(line, column);
    void studio.toggleChildren(line);
    return true;
  }
}

/** Whether a key is a character of a new value. The slash leads to the query. */
const isTyped = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  /^.$/u.test(key) && key !== "/" && !ctrlKey && !metaKey && !altKey;
