import { useRef } from "preact/hooks";
import { rangeAt } from "../state/cell-range.ts";
import { withMove, withWidth } from "../state/column-layout.ts";
import { useStudio } from "../state/studio-context.ts";

interface Pointer {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: (event: PointerEvent) => void;
}

interface ColumnDrag {
  readonly ofColumn: (id: string) => Pointer;
  readonly ofEdge: (id: string) => Pointer & { readonly onDblClick: (event: MouseEvent) => void };
}

/** Pixels before a click becomes a drag. */
const threshold = 6;

/** The pointer in the header: a click sorts, a drag moves the column, a drag of its edge resizes it. */
export function useColumnDrag(): ColumnDrag {
  const { grid } = useStudio();
  const start = useRef<{ x: number; width: number; isMoved: boolean } | undefined>(undefined);
  const begin = (event: PointerEvent, id: string): void => {
    if (event.button !== 0 || (event.target as Element).closest("button, [role=menu]") !== null) return;
    const width = grid.shown.value.find((column) => column.id === id)?.width ?? 0;
    start.current = { x: event.clientX, width, isMoved: false };
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
  };
  return {
    ofColumn: (id) => ({
      onPointerDown: (event) => begin(event, id),
      onPointerMove({ clientX, clientY }) {
        const drag = start.current;
        if (drag === undefined || Math.abs(clientX - drag.x) < threshold) return;
        drag.isMoved = true;
        const under = document.elementFromPoint(clientX, clientY)?.closest("[id^=head-]")?.id;
        const target = grid.shown.value[Number(under?.slice("head-".length))];
        if (target !== undefined && target.id !== id)
          grid.changeLayout((layout) => withMove(layout, grid.columns.value, id, target.id));
      },
      onPointerUp() {
        const drag = start.current;
        start.current = undefined;
        if (drag === undefined) return;
        const column = grid.shown.value.findIndex((each) => each.id === id);
        grid.range.value = rangeAt(-1, column);
        if (!drag.isMoved) grid.cycleSort(id);
      },
    }),
    ofEdge: (id) => ({
      onPointerDown(event) {
        event.stopPropagation();
        begin(event, id);
      },
      onPointerMove(event) {
        event.stopPropagation();
        const drag = start.current;
        if (drag !== undefined)
          grid.changeLayout((layout) => withWidth(layout, id, drag.width + event.clientX - drag.x));
      },
      onPointerUp(event) {
        event.stopPropagation();
        start.current = undefined;
      },
      onDblClick(event) {
        event.stopPropagation();
        grid.changeLayout((layout) => ({ ...layout, widths: layout.widths.filter(([own]) => own !== id) }));
      },
    }),
  };
}
