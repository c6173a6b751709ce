import type { JSX } from "preact";
import { useStudio } from "../state/studio-context.ts";
import { KnownRows } from "./known-rows.tsx";
import { rowsAsCsv, rowsAsJson } from "../text/copy-rows.ts";

/** The number of known rows, and actions for the selected ones. */
export function GridTools(): JSX.Element {
  const studio = useStudio();
  void studio.drawn.value;
  const list = studio.tree.value?.list;
  const selected = [...studio.selected.value.values()];
  const only = selected.length === 1 ? selected[0] : undefined;
  const isReadOnly = studio.info.value?.isReadOnly === true;
  const copy = async (text: string, form: string): Promise<void> => {
    await navigator.clipboard.writeText(text);
    studio.say(`${selected.length} ${selected.length === 1 ? "row" : "rows"} copied as ${form}.`);
  };
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
      <span class="space" />
      {selected.length > 0 && (
        <>
          <span>{selected.length} selected</span>
          <button type="button" onClick={() => void copy(rowsAsJson(selected), "JSON")}>
            Copy JSON
          </button>
          <button type="button" onClick={() => void copy(rowsAsCsv(selected), "CSV")}>
            Copy CSV
          </button>
        </>
      )}
      {selected.length > 0 && !isReadOnly && (
        <>
          {only !== undefined && (
            <button type="button" onClick={() => void studio.cloneRow(only)}>
              Clone
            </button>
          )}
          <button type="button" onClick={() => studio.show({ type: "many" })}>
            Edit all
          </button>
          <button type="button" class="danger" onClick={() => void stageRemoval()}>
            Delete
          </button>
        </>
      )}
      {selected.length === 0 && !isReadOnly && (
        <button type="button" onClick={() => studio.show({ type: "new", from: undefined })}>
          New row
        </button>
      )}
    </div>
  );
}
