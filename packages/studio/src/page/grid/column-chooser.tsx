import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { inOrder, isPinned, plainLayout, withHidden, withPin } from "../state/column-layout.ts";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";
import { placeBelow } from "./place-below.ts";

/** Chooses the columns to show and to pin. */
export function ColumnChooser(): JSX.Element {
  const { grid } = useStudio();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const onPointer = ({ target }: PointerEvent): void => {
      if (place.current?.contains(target as Node) === false) setOpen(false);
    };
    document.addEventListener("pointerdown", onPointer);
    return () => document.removeEventListener("pointerdown", onPointer);
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !isOpen) return;
    event.stopPropagation();
    setOpen(false);
    button.current?.focus();
  };
  const [shown, all] = [grid.shown.value.length, grid.columns.value.length];
  return (
    <div class="chooser-place" ref={place} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        Columns <span class="count">{shown === all ? all : `${shown} of ${all}`}</span>
      </button>
      {isOpen && <ChooserList />}
    </div>
  );
}

function ChooserList(): JSX.Element {
  const { grid } = useStudio();
  const search = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const anchor = box.current?.parentElement?.getBoundingClientRect();
    if (box.current !== null && anchor !== undefined) placeBelow(box.current, anchor);
    search.current?.focus();
  }, []);
  const layout = grid.layout.value;
  const words = text.trim().toLowerCase();
  const columns = inOrder(grid.columns.value, layout);
  const found = columns.filter(({ name }) => name.toLowerCase().includes(words));
  const ids = found.map(({ id }) => id);
  return (
    <div ref={box} class="chooser" role="dialog" aria-label="Columns">
      <input
        ref={search}
        type="search"
        aria-label="Search columns"
        placeholder="Search columns"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div class="chooser-actions">
        <button
          type="button"
          class="quiet"
          onClick={() => grid.changeLayout((old) => withHidden(old, ids, false))}
        >
          Show {words === "" ? "all" : "these"}
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => grid.changeLayout((old) => withHidden(old, ids, true))}
        >
          Hide {words === "" ? "all" : "these"}
        </button>
        <span class="space" />
        <button type="button" class="quiet" onClick={() => grid.changeLayout(() => plainLayout)}>
          Reset
        </button>
      </div>
      <ul>
        {found.map((column) => (
          <li key={column.id}>
            <label>
              <input
                type="checkbox"
                checked={!layout.hidden.includes(column.id)}
                onChange={({ currentTarget: { checked } }) =>
                  grid.changeLayout((old) => withHidden(old, [column.id], !checked))
                }
              />
              <bdi>{printable(column.name)}</bdi>
              <small>{column.types.join(", ")}</small>
            </label>
            <button
              type="button"
              class="quiet"
              aria-pressed={isPinned(column, layout)}
              aria-label={`Pin ${printable(column.name)}`}
              onClick={() => grid.changeLayout((old) => withPin(old, grid.columns.value, column.id))}
            >
              Pin
            </button>
          </li>
        ))}
        {found.length === 0 && <li class="none">No column has this name.</li>}
      </ul>
    </div>
  );
}
