import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { editTo } from "../state/cell-edits.ts";
import { rangeAt } from "../state/cell-range.ts";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";

interface EditorProps {
  readonly line: number;
  readonly at: number;
}

/** Edits a value in its cell. Enter, Tab and a click elsewhere stage it; Escape does not. */
export function CellEditor({ line, at }: EditorProps): JSX.Element {
  const studio = useStudio();
  const { grid } = studio;
  const [edited] = useState(grid.edited.value);
  const input = useRef<HTMLInputElement>(null);
  const text = useRef(edited?.text ?? "");
  const end = (isStaged: boolean): void => {
    if (grid.edited.value !== edited || edited === undefined) return;
    grid.edited.value = undefined;
    const { table, row, column, before } = edited;
    const isChanged = text.current !== before || grid.refusedIn(column, row) !== undefined;
    if (isStaged && isChanged) void studio.clipboard.edits.stage(table, [editTo(row, column, text.current)]);
  };
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.setSelectionRange(text.current.length, text.current.length);
    // A cell that is scrolled out of the view is staged too.
    return () => end(true);
  }, []);
  const leaveTo = (nextLine: number, nextColumn: number): void => {
    end(true);
    const lastLine = (studio.tree.value?.count ?? 1) - 1;
    const lastColumn = grid.shown.value.length - 1;
    grid.range.value = rangeAt(
      Math.max(0, Math.min(lastLine, nextLine)),
      Math.max(0, Math.min(lastColumn, nextColumn)),
    );
    document.getElementById("grid")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const back = event.shiftKey ? -1 : 1;
    if (event.key === "Enter") leaveTo(line + back, at);
    else if (event.key === "Tab") leaveTo(line, at + back);
    else if (event.key === "Escape") {
      end(false);
      document.getElementById("grid")?.focus();
    } else return;
    event.preventDefault();
  };
  return (
    <input
      ref={input}
      type="text"
      class="cell-editor"
      aria-label={printable(edited?.column.name ?? "")}
      defaultValue={text.current}
      spellcheck={false}
      autocomplete="off"
      dir="auto"
      onInput={({ currentTarget }) => (text.current = grid.written = currentTarget.value)}
      onKeyDown={onKeyDown}
      onBlur={() => end(true)}
    />
  );
}
