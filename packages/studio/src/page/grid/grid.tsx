import type { CSSProperties, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useStudio } from "../state/studio-context.ts";
import { columnsIn, columnWindow, scrollToColumn } from "./column-window.ts";
import { ColumnMenu } from "./column-menu.tsx";
import { GridHead } from "./grid-head.tsx";
import { GridLine } from "./grid-line.tsx";
import { GridStatus } from "./grid-status.tsx";
import { headerCellId, lineCellId } from "./cell-ids.ts";
import { lineHeight, scrollTo, scrollWindow } from "./scroll-window.ts";
import { useCellPointer } from "./use-cell-pointer.ts";
import { useGridClipboard } from "./use-grid-clipboard.ts";
import { useGridKeys } from "./use-grid-keys.ts";
import { usePosition } from "./use-position.ts";

/** Height of the header line. */
const headHeight = 46;
/** The next page is read when so few lines are left below the visible ones. */
const readAhead = 30;

/** The rows of the query. Only visible cells are in the document. */
export function Grid(): JSX.Element {
  const studio = useStudio();
  const { grid } = studio;
  void studio.drawn.value;
  const tree = studio.tree.value;
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, left: 0 });
  const [view, setView] = useState({ width: 800, height: 400 });
  const count = tree?.count ?? 0;
  const columns = grid.shown.value;
  const lines = scrollWindow(count, scroll.top, view.height);
  const widths = columns.map(({ width }) => width);
  const across = columnWindow(widths, grid.pinnedCount.value, scroll.left, view.width);
  const range = grid.range.value;
  const { cursor } = range;
  const isSorted = tree?.sortedCount !== undefined;

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() =>
      setView({ width: element.clientWidth, height: element.clientHeight - headHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const list = tree?.list;
    const isNearEnd = count > 0 && lines.end >= count - readAhead;
    if (list !== undefined && isNearEnd && !isSorted && list.error === undefined) void list.readMore();
  }, [tree, lines.end, count, isSorted]);
  usePosition(box, { count, viewport: view.height });

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || range.isWhole === true) return;
    const { line, column } = range.cursor;
    const isPlaced = line < 0 || range === grid.restored;
    const top = isPlaced ? undefined : scrollTo(line, count, element.scrollTop, view.height);
    const left = scrollToColumn(column, across, element.scrollLeft, view.width);
    element.scrollTo(left ?? element.scrollLeft, top ?? element.scrollTop);
  }, [tree, count > 0, cursor.column < columns.length, range]);
  const size = {
    lines: count,
    columns: columns.length,
    page: Math.max(1, Math.floor(view.height / lineHeight) - 1),
  };
  const hasTree = (studio.tableInfo.value?.classes ?? []).some((each) => each.children.length > 0);
  const [activeLine, activeColumn] = [Math.min(cursor.line, count - 1), cursor.column];
  const inView = columnsIn(across);
  const isDrawn =
    inView.includes(activeColumn) &&
    (activeLine < 0 || (activeLine >= lines.first && activeLine < lines.end));
  const tracks = inView.map((at) => `${widths[at] ?? 0}px`);
  const template = [...tracks.slice(0, across.pinned), `${across.skipped}px`, ...tracks.slice(across.pinned)];
  const style = { "--columns": template.join(" "), "--width": `${across.width}px` } as CSSProperties;
  const menuAt = columns.findIndex(({ id }) => id === grid.menu.value);
  const activeId = activeLine < 0 ? headerCellId(activeColumn) : lineCellId(activeLine, activeColumn);
  return (
    <div class="grid-place">
      <div
        id="grid"
        ref={box}
        class="grid"
        role={hasTree ? "treegrid" : "grid"}
        tabIndex={0}
        aria-label={`Rows of ${studio.className.value ?? studio.table.value}`}
        aria-rowcount={tree?.list.isAtEnd === true ? count + 1 : -1}
        aria-colcount={columns.length + 1}
        aria-multiselectable="true"
        aria-readonly={studio.info.value?.isReadOnly === true}
        aria-activedescendant={isDrawn && columns.length > 0 ? activeId : undefined}
        style={style}
        onScroll={({ currentTarget: { scrollTop, scrollLeft } }) => {
          setScroll({ top: scrollTop, left: scrollLeft });
          grid.menu.value = undefined;
        }}
        {...useGridKeys(size)}
        {...useGridClipboard()}
      >
        <GridHead columns={columns} across={across} />
        <div class="grid-body" style={{ height: `${lines.height}px` }} {...useCellPointer()}>
          <div class="grid-lines" style={{ transform: `translateY(${lines.top}px)` }}>
            {Array.from({ length: lines.end - lines.first }, (_, i) => (
              <GridLine
                key={lines.first + i}
                index={lines.first + i}
                columns={columns}
                across={across}
                isTree={hasTree}
              />
            ))}
          </div>
        </div>
        {count === 0 && <GridNote />}
      </div>
      {menuAt !== -1 && <ColumnMenu key={menuAt} at={menuAt} />}
      <GridStatus />
    </div>
  );
}

/** The text shown if there are no rows. */
function GridNote(): JSX.Element {
  const studio = useStudio();
  void studio.drawn.value;
  const list = studio.tree.value?.list;
  if (list?.error !== undefined)
    return (
      <p class="empty refused" role="alert">
        {list.error.message}
      </p>
    );
  if (list?.isAtEnd === true) return <p class="empty">No rows.</p>;
  return <p class="empty">{list?.isReading === false && list.hasBegun ? "No rows so far." : "Reading …"}</p>;
}
