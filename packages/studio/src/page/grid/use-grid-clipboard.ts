import { useStudio } from "../state/studio-context.ts";
import { counted } from "../text/counted.ts";
import { cellsAsText, cellsType } from "./range-text.ts";

interface ClipboardKeys {
  readonly onCopy: (event: ClipboardEvent) => void;
  readonly onCut: (event: ClipboardEvent) => void;
  readonly onPaste: (event: ClipboardEvent) => void;
}

/** Copy, cut and paste in the grid: of the selected rows, or else of the range of cells. */
export function useGridClipboard(): ClipboardKeys {
  const studio = useStudio();
  const copy = (event: ClipboardEvent): boolean => {
    if (isInEditor(event)) return false;
    event.preventDefault();
    const rows = [...studio.selected.value.values()];
    if (rows.length > 0) {
      void studio.clipboard.copyRows(rows, "jsonl");
      return false;
    }
    const cells = studio.clipboard.cells();
    if (cells === undefined) return false;
    event.clipboardData?.setData("text/plain", cellsAsText(cells));
    event.clipboardData?.setData(cellsType, JSON.stringify(cells));
    const count = cells.length * (cells[0]?.length ?? 0);
    studio.say(`${counted(count, "cell")} copied.`);
    return true;
  };
  return {
    onCopy: copy,
    onCut(event) {
      if (copy(event) && studio.info.value?.isReadOnly === false) void studio.clipboard.clear();
    },
    onPaste(event) {
      if (isInEditor(event)) return;
      event.preventDefault();
      const { clipboardData } = event;
      void studio.clipboard.paste(
        clipboardData?.getData("text/plain") ?? "",
        clipboardData?.getData(cellsType) ?? "",
      );
    },
  };
}

const isInEditor = ({ target }: Event): boolean =>
  (target as Partial<Element> | null)?.matches?.("input") === true;
