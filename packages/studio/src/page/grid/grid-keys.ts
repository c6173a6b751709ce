import { useStudio } from "../state/studio-context.ts";
import { rowsAsJson } from "../text/copy-rows.ts";
import { lineHeight } from "./scroll-window.ts";

interface GridKeys {
  readonly active: { readonly line: number; readonly column: number };
  readonly columns: number;
  readonly viewport: number;
  readonly goTo: (line: number, column: number) => void;
}

/**
 * The keyboard in the grid: arrows move, Enter opens, Space selects, Right and Left show and hide children.
 */
export function useGridKeys({ active, columns, viewport, goTo }: GridKeys): (event: KeyboardEvent) => void {
  const studio = useStudio();
  return (event) => {
    const tree = studio.tree.value;
    if (tree === undefined || tree.count === 0) return;
    const { row, isExpanded } = tree.lineAt(active.line);
    const isParent = row !== undefined && active.column === 0 && studio.hasChildren(row);
    if ((event.ctrlKey || event.metaKey) && event.key === "c" && row !== undefined) {
      if (String(getSelection()) === "") void copy([...studio.selected.value.values()], row);
      return;
    }
    const moved = target(event);
    if (moved !== undefined) {
      event.preventDefault();
      const [line, column] = moved;
      goTo(Math.max(0, Math.min(tree.count - 1, line)), Math.max(0, Math.min(columns - 1, column)));
      return;
    }
    if (event.key === "Enter" && row !== undefined) {
      event.preventDefault();
      void studio.openRow(row);
    } else if (event.key === " " && row !== undefined) {
      event.preventDefault();
      studio.select(row);
    } else if (isParent && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      event.preventDefault();
      void studio.toggleChildren(active.line);
    }

    function target({ key, ctrlKey, metaKey }: KeyboardEvent): readonly [number, number] | undefined {
      const { line, column } = active;
      const page = Math.max(1, Math.floor(viewport / lineHeight) - 1);
      if (isParent && key === (isExpanded ? "ArrowLeft" : "ArrowRight")) return undefined;
      const far = ctrlKey || metaKey;
      const targets: Readonly<Record<string, readonly [number, number]>> = {
        ArrowDown: [line + 1, column],
        ArrowUp: [line - 1, column],
        ArrowRight: [line, column + 1],
        ArrowLeft: [line, column - 1],
        PageDown: [line + page, column],
        PageUp: [line - page, column],
        Home: [far ? 0 : line, 0],
        End: [far ? Number.MAX_SAFE_INTEGER : line, columns - 1],
      };
      return targets[key];
    }
  };

  async function copy(
    selected: Parameters<typeof rowsAsJson>[0],
    active: (typeof selected)[number],
  ): Promise<void> {
    await navigator.clipboard.writeText(rowsAsJson(selected.length > 0 ? selected : [active]));
    studio.say(`${Math.max(1, selected.length)} copied as JSON.`);
  }
}
