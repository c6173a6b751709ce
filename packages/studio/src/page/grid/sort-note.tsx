import type { JSX } from "preact";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";

/** Tells that the rows are sorted, and among which rows. */
export function SortNote(): JSX.Element | null {
  const { grid, tree, drawn } = useStudio();
  void drawn.value;
  const count = tree.value?.sortedCount;
  const list = tree.value?.list;
  const column = grid.columns.value.find(({ id }) => id === grid.sort.value?.id);
  if (count === undefined || list === undefined || column === undefined) return null;
  const isPart = !list.isAtEnd || count < list.count;
  return (
    <span class="sort-note" role="status">
      <span>
        Sorted by {printable(column.name)}
        {isPart ? ` among the ${count.toLocaleString("en")} rows loaded.` : "."}
      </span>
      <button type="button" class="quiet" onClick={() => grid.sortBy(undefined)}>
        Key order
      </button>
    </span>
  );
}
