import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { rangeAt } from "../state/cell-range.ts";
import {
  type ColumnLayout,
  isPinned,
  withHidden,
  withMove,
  withPin,
  withWidth,
} from "../state/column-layout.ts";
import { useStudio } from "../state/studio-context.ts";
import { headerCellId } from "./cell-ids.ts";
import type { GridColumn } from "./columns.ts";
import { placeBelow } from "./place-below.ts";

/** Pixels of one step of a resize. */
const step = 40;

/** The actions of a column. Arrows move, Escape closes. */
export function ColumnMenu({ at }: { readonly at: number }): JSX.Element | null {
  const { grid } = useStudio();
  const box = useRef<HTMLDivElement>(null);
  const column = grid.shown.value[at];
  useLayoutEffect(() => {
    const head = document.getElementById(headerCellId(at))?.getBoundingClientRect();
    const menu = box.current;
    if (head === undefined || menu === null) return;
    placeBelow(menu, head);
    menu.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [at]);
  useEffect(() => {
    const onPointer = ({ target }: PointerEvent): void => {
      if ((target as Element).closest(".menu, .menu-button") === null) grid.menu.value = undefined;
    };
    document.addEventListener("pointerdown", onPointer);
    return () => document.removeEventListener("pointerdown", onPointer);
  }, [grid]);
  if (column === undefined) return null;
  const { id } = column;
  const close = (): void => {
    grid.menu.value = undefined;
    const found = grid.shown.value.findIndex((each) => each.id === id);
    grid.range.value = rangeAt(-1, found === -1 ? Math.min(at, grid.shown.value.length - 1) : found);
    document.getElementById("grid")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const items = [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const now = items.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: now + 1, ArrowUp: now - 1 + items.length, Home: 0, End: items.length - 1 }[
      event.key
    ];
    if (event.key === "Escape" || event.key === "Tab") close();
    else if (to !== undefined) items[to % items.length]?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <div class="menu" role="menu" aria-label={`Menu of ${column.name}`} ref={box} onKeyDown={onKeyDown}>
      {actionsOf(column, at).map(([label, act]) => (
        <button
          key={label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            act();
            close();
          }}
        >
          {label}
        </button>
      ))}
    </div>
  );

  function actionsOf({ width }: GridColumn, place: number): readonly (readonly [string, () => void])[] {
    const change = (work: (layout: ColumnLayout) => ColumnLayout) => (): void => grid.changeLayout(work);
    const [left, right] = [grid.shown.value[place - 1], grid.shown.value[place + 1]];
    const moves = [
      ["Move left", left],
      ["Move right", right],
    ] as const;
    const own = grid.columns.value.find((each) => each.id === id);
    return [
      ["Sort ascending", () => grid.sortBy({ id, isDescending: false })],
      ["Sort descending", () => grid.sortBy({ id, isDescending: true })],
      ...(grid.sort.value === undefined ? [] : [["Key order", () => grid.sortBy(undefined)] as const]),
      [
        own !== undefined && isPinned(own, grid.layout.value) ? "Unpin" : "Pin to the left",
        change((layout) => withPin(layout, grid.columns.value, id)),
      ],
      ...moves.flatMap(([label, target]) =>
        target === undefined
          ? []
          : [[label, change((layout) => withMove(layout, grid.columns.value, id, target.id))] as const],
      ),
      ["Wider", change((layout) => withWidth(layout, id, width + step))],
      ["Narrower", change((layout) => withWidth(layout, id, width - step))],
      ["Hide", change((layout) => withHidden(layout, [id], true))],
    ];
  }
}
