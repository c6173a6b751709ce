import type { JSX } from "preact";
import { useStudio } from "../state/studio-context.ts";
import { ColumnChooser } from "./column-chooser.tsx";
import { KnownRows } from "./known-rows.tsx";
import { SortNote } from "./sort-note.tsx";

/** The number of known rows, and actions for the selected ones. */
export function GridTools(): JSX.Element {
  const studio = useStudio();
  void studio.drawn.value;
  const list = studio.tree.value?.list;
  const selected = [...studio.selected.value.values()];
  const only = selected.length === 1 ? selected[0] : undefined;
  const isReadOnly = studio.info.value?.isReadOnly === true;
  const stageRemoval = (): Promise<boolean> =>
    studio.attemptOnce(() => studio.stageSelected(studio.api.removeMany));
  return (
    <div class="grid-tools" role="toolbar" aria-label="Rows">
      <KnownRows />
      {list?.isReading === true && (
        <button type="button" class="quiet" onClick={() => list.stop()}>
          Stop
        </button>
      )}
      {list?.error !== undefined && list.count > 0 && (
        <span class="problem" role="alert">
          {list.error.message}
        </span>
      )}
      {list?.error !== undefined && (
        <button type="button" class="quiet" onClick={() => void list.retry()}>
          Retry
        </button>
      )}
      <SortNote />
      <span class="space" />
      {selected.length > 0 && (
        <div class="selection" role="group" aria-label="Selected rows">
          <span>{selected.length} selected</span>
          <button type="button" onClick={() => void studio.clipboard.copyRows(selected, "jsonl")}>
            Copy JSON
          </button>
          <button type="button" onClick={() => void studio.clipboard.copyRows(selected, "csv")}>
            Copy CSV
          </button>
          {!isReadOnly && only !== undefined && (
            <button type="button" onClick={() => void studio.cloneRow(only)}>
              Clone
            </button>
          )}
          {!isReadOnly && (
            <>
              <button type="button" onClick={() => studio.show({ type: "many" })}>
                Edit all
              </button>
              <button type="button" class="danger" onClick={() => void stageRemoval()}>
                Delete
              </button>
            </>
          )}
          <button
            type="button"
            class="quiet"
            aria-label="Deselect"
            onClick={() => {
              studio.selected.value = new Map();
              document.getElementById("grid")?.focus();
            }}
          >
            ×
          </button>
        </div>
      )}
      <ColumnChooser />
      {!isReadOnly && (
        <button type="button" onClick={() => studio.show({ type: "new", from: undefined })}>
          New row
        </button>
      )}
    </div>
  );
}
