import type { JSX } from "preact";
import { rectangleOf } from "../state/cell-range.ts";
import { useStudio } from "../state/studio-context.ts";
import { cellLine } from "../text/cell-text.ts";
import { counted } from "../text/counted.ts";
import { printable } from "../text/printable.ts";
import { ValueText } from "../text/value-text.tsx";

/** The cell under the cursor: its column, type and value, the reason why it was refused, or the range. */
export function GridStatus(): JSX.Element {
  const { grid, tree, drawn } = useStudio();
  void drawn.value;
  const { cursor } = grid.range.value;
  const column = grid.shown.value[cursor.column];
  const row = cursor.line < 0 ? undefined : tree.value?.lineAt(cursor.line).row;
  const { top, bottom, left, right } = rectangleOf(grid.range.value);
  const [height, width] = [bottom - top + 1, right - left + 1];
  if (column === undefined) return <div class="grid-status" />;
  const cell = row && grid.cellOf(column, row);
  const refused = row && grid.refusedIn(column, row);
  return (
    <div class="grid-status">
      <strong>
        <bdi>{printable(column.name)}</bdi>
      </strong>
      <small>{cell?.[1] ?? column.types.join(", ")}</small>
      <span class="value" role="status">
        {refused !== undefined ? (
          <span class="problem">
            {refused.message} You wrote: <bdi>{printable(refused.text)}</bdi>
          </span>
        ) : (
          row !== undefined && (cell === undefined ? "no value" : <ValueText text={cellLine(cell[2])} />)
        )}
      </span>
      <RefusedNote />
      {height * width > 1 && (
        <span class="range-size">
          {height.toLocaleString("en")} × {width.toLocaleString("en")} cells
        </span>
      )}
    </div>
  );
}

/** Tells that values were refused, and leads to their cells. */
function RefusedNote(): JSX.Element | null {
  const { grid } = useStudio();
  const count = grid.refusedHere().length;
  if (count === 0) return null;
  return (
    <span class="refused-note" role="alert">
      {counted(count, "cell")} not staged
      <button type="button" class="quiet" onClick={() => grid.goToRefused()}>
        Show
      </button>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          grid.dismissRefused();
          document.getElementById("grid")?.focus();
        }}
      >
        Dismiss
      </button>
    </span>
  );
}
