import type { JSX } from "preact";
import { useStudio } from "../state/studio-context.ts";
import { counted } from "../text/counted.ts";

/** How many rows are known, and whether there are more. */
export function KnownRows(): JSX.Element {
  const studio = useStudio();
  void studio.drawn.value;
  const list = studio.tree.value?.list;
  const count = list?.count ?? 0;
  const rows = counted(count, "row");
  const hasMore = list !== undefined && !list.isAtEnd && (count > 0 || list.hasBegun);
  return (
    <>
      <span class="known" aria-live="polite">
        {hasMore ? `first ${rows}` : rows}
        {list?.isReading === true && <span class="reading"> reading …</span>}
      </span>
      {list !== undefined && hasMore && (
        <>
          <button type="button" class="quiet" disabled={list.isReading} onClick={() => void list.readMore()}>
            Load more
          </button>
          <button type="button" class="quiet" disabled={list.isReading} onClick={() => void list.readToEnd()}>
            Read to the end
          </button>
        </>
      )}
      {count > 0 && (
        <button type="button" class="quiet" onClick={() => (studio.view.value = "table")}>
          Export
        </button>
      )}
    </>
  );
}
