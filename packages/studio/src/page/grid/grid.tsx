import type { CSSProperties, JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";
import { columnsOf } from "./columns.ts";
import { GridLine } from "./grid-line.tsx";
import { useGridKeys } from "./grid-keys.ts";
import { scrollTo, scrollWindow } from "./scroll-window.ts";
import { usePosition } from "./use-position.ts";

/** Height of the header line. */
const headHeight = 30;
/** The next page is read when so few lines are left below the visible ones. */
const readAhead = 30;

/** The rows of the query. Only visible lines are in the document. */
export function Grid(): JSX.Element {
  const studio = useStudio();
  const { drawn } = studio;
  const version = drawn.value;
  const tree = studio.tree.value;
  const box = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [viewport, setViewport] = useState(400);
  const [active, setActive] = useState({ line: 0, column: 0 });
  const loaded = tree?.list.loadedRows() ?? [];
  const columns = useMemo(
    () =>
      columnsOf(studio.tableInfo.value?.classes ?? [], {
        asked: studio.className.value,
        rows: loaded.slice(0, 2000),
        children: tree?.childRows() ?? [],
      }),
    [studio.tableInfo.value, studio.className.value, tree, version],
  );
  const count = tree?.count ?? 0;
  const seen = scrollWindow(count, scrollTop, viewport);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setViewport(element.clientHeight - headHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    setActive({ line: studio.topLine.peek(), column: 0 });
  }, [tree]);
  usePosition(box, { count, viewport });
  useEffect(() => {
    const list = tree?.list;
    if (list !== undefined && list.count > 0 && seen.end >= count - readAhead && list.error === undefined)
      void list.readMore();
  }, [tree, seen.end, count]);

  const goTo = useCallback(
    (line: number, column: number) => {
      setActive({ line, column });
      const element = box.current;
      const target = element === null ? undefined : scrollTo(line, count, element.scrollTop, viewport);
      if (target !== undefined) element?.scrollTo(element.scrollLeft, target);
    },
    [count, viewport],
  );
  const onKeyDown = useGridKeys({ active, columns: columns.length, viewport, goTo });
  const template = { "--columns": `34px ${columns.map(({ width }) => `${width}px`).join(" ")}` };
  const lines = Array.from({ length: seen.end - seen.first }, (_, i) => seen.first + i);
  const hasTree = (studio.tableInfo.value?.classes ?? []).some((each) => each.children.length > 0);
  return (
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
      aria-activedescendant={count > 0 ? `cell-${active.line}-${active.column}` : undefined}
      style={template as CSSProperties}
      onScroll={({ currentTarget }) => setScrollTop(currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div class="grid-head" role="row" aria-rowindex={1}>
        <span class="cell check" role="columnheader">
          <span class="hidden">Selected</span>
        </span>
        {columns.map(({ name, type, isKey }) => (
          <span
            key={name}
            class="cell"
            role="columnheader"
            data-key={isKey}
            title={`${printable(name)}: ${type}`}
          >
            {printable(name)} <small>{type}</small>
          </span>
        ))}
      </div>
      <div class="grid-body" style={{ height: `${seen.height}px` }}>
        <div class="grid-lines" style={{ transform: `translateY(${seen.top}px)` }}>
          {lines.map((line) => (
            <GridLine
              key={line}
              index={line}
              columns={columns}
              isTree={hasTree}
              activeColumn={line === active.line ? active.column : undefined}
              onActivate={(column) => setActive({ line, column })}
            />
          ))}
        </div>
      </div>
      {count === 0 && <GridNote />}
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
