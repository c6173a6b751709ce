import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { MultiEdit } from "../form/multi-edit.tsx";
import { NewRowForm } from "../form/new-row-form.tsx";
import { RowForm } from "../form/row-form.tsx";
import { StagedPanel } from "../staged/staged-panel.tsx";
import { useStudio } from "../state/studio-context.ts";
import { Sidebar } from "./sidebar.tsx";
import { TableView } from "./table-view.tsx";
import { TopBar } from "./top-bar.tsx";

/** The complete page. */
export function Shell(): JSX.Element {
  const studio = useStudio();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "/" && !isEditing(event.target)) {
        event.preventDefault();
        document.getElementById("query")?.focus();
      }
      if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        if (studio.info.value?.isReadOnly === false) studio.show({ type: "staged" });
      }
      if (event.key === "Escape" && studio.panel.value !== undefined) {
        studio.show(undefined);
        if (studio.panel.value === undefined) document.getElementById("grid")?.focus();
      }
    };
    // A message stays until the next input, so slow readers have time to read it.
    const onInput = (): void => {
      if (studio.notice.value?.isError === false) studio.notice.value = undefined;
    };
    // Other tabs can stage and save too.
    const onFocus = (): void => void studio.attempt(() => studio.readStaged());
    const onLeave = (event: BeforeUnloadEvent): void => {
      if (studio.isUnstaged) event.preventDefault();
    };
    const onEnd = (): void => studio.grid.keepWritten();
    addEventListener("pagehide", onEnd);
    addEventListener("focus", onFocus);
    addEventListener("beforeunload", onLeave);
    document.addEventListener("keydown", onKey);
    document.addEventListener("keydown", onInput, { capture: true });
    document.addEventListener("pointerdown", onInput, { capture: true });
    return () => {
      removeEventListener("pagehide", onEnd);
      removeEventListener("focus", onFocus);
      removeEventListener("beforeunload", onLeave);
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("keydown", onInput, { capture: true });
      document.removeEventListener("pointerdown", onInput, { capture: true });
    };
  }, [studio]);
  useKeptFocus();
  return (
    <div class="shell" data-panel={studio.panel.value === undefined ? "closed" : "open"}>
      <TopBar />
      <Sidebar />
      <main class="main">{studio.table.value === undefined ? <NoTable /> : <TableView />}</main>
      <PanelView />
      <NoticeLine />
    </div>
  );
}

/**
 * If the focused element no longer exists, moves the focus to the panel, or to the rows once the panel is
 * closed.
 */
function useKeptFocus(): void {
  const studio = useStudio();
  const panel = studio.panel.value;
  const staged = studio.staged.value;
  const hadPanel = useRef(false);
  const isShown = studio.table.value !== undefined;
  useEffect(() => {
    const isFree = document.activeElement === document.body;
    if (isShown && isFree && panel === undefined) studio.takeFocused()?.focus();
  }, [isShown]);
  // After painting, when every part of the page is drawn again.
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    const place = panel === undefined ? "#grid" : ".panel h2";
    if (isLost && hadPanel.current) document.querySelector<HTMLElement>(place)?.focus();
    hadPanel.current = panel !== undefined;
  }, [panel, staged]);
}

function PanelView(): JSX.Element | null {
  const panel = useStudio().panel.value;
  switch (panel?.type) {
    case undefined:
      return null;
    case "row":
      return <RowForm key={panel.row.id + panel.row.etag} row={panel.row} />;
    case "new":
      return <NewRowForm key={panel.from?.etag ?? "new"} from={panel.from} />;
    case "many":
      return <MultiEdit />;
    case "staged":
      return <StagedPanel />;
    default:
      return panel satisfies never;
  }
}

function NoTable(): JSX.Element {
  const studio = useStudio();
  return (
    <p class="empty">
      {studio.info.value === undefined ? "Reading the tables …" : "This storage has no tables yet."}
    </p>
  );
}

function NoticeLine(): JSX.Element {
  const studio = useStudio();
  const notice = studio.notice.value;
  return (
    <div class="notice-place" role="status" aria-live="polite">
      {notice !== undefined && (
        <div class="notice" data-error={notice.isError}>
          <span>{notice.text}</span>
          <button
            type="button"
            class="quiet"
            aria-label="Dismiss"
            onClick={() => (studio.notice.value = undefined)}
          >
            ×
          </button>
        </div>
      )}
    </div>
  );
}

function isEditing(target: EventTarget | null): boolean {
  return (target as Partial<Element> | null)?.matches?.("input, textarea, select") === true;
}
