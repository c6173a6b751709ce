import { effect, type Signal } from "@preact/signals";
import type { Row } from "../../api/cells.ts";
import { type Address, addressOf, isSamePlace, searchOf } from "./address.ts";
import { type EntryState, keepLastEntry, takeLastEntry } from "./last-entry.ts";
import type { CellRange } from "./cell-range.ts";
import type { KeptGrid, Sort } from "./grid-view.ts";
import { keptRows } from "./kept-rows.ts";
import { keyOf } from "./row-keys.ts";
import type { RowTree } from "./row-tree.ts";
import type { View } from "./shown-parts.ts";

/** The state of the page that the history holds. */
export interface HistoryPage {
  readonly table: Signal<string | undefined>;
  readonly className: Signal<string | undefined>;
  readonly view: Signal<View>;
  readonly text: Signal<string>;
  readonly ran: Signal<{ readonly text: string; readonly allowScan?: boolean | undefined }>;
  readonly topLine: Signal<number>;
  readonly tree: Signal<RowTree | undefined>;
  readonly selected: Signal<ReadonlyMap<string, Row>>;
  readonly grid: { readonly sort: Signal<Sort | undefined>; readonly range: Signal<CellRange> };
  /** @returns false if a form with unstaged changes stays open instead */
  visit(address: Address, entry: EntryState | undefined): boolean;
}

/** The page now, as an entry of the history. */
interface Shown {
  readonly address: Address;
  readonly typed: string;
  readonly tree: RowTree | undefined;
  readonly selected: ReadonlyMap<string, Row>;
  readonly grid: KeptGrid;
}

const waitMs = 250;

/**
 * Writes what the page shows into the history of the tab: a new table, view or query is a new entry, and a position or
 * a selection changes the entry. Back and a reload then show the same. The URL never has the token.
 */
export function keepHistory(studio: HistoryPage): void {
  let last: Shown | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
    if (last !== undefined) history.replaceState(entryOf(last), "", searchOf(last.address));
  };
  effect(() => {
    const shown = shownBy(studio);
    if (shown.address.table === undefined) return;
    const isOther = last !== undefined && !isSamePlace(shown.address, last.address);
    if (isOther && !isSamePlace(shown.address, addressOf(location.search))) {
      // A text that ran now is no longer unfinished in the entry before.
      if (last?.typed === shown.address.text) last = { ...last, typed: last.address.text };
      write();
      history.pushState(entryOf(shown), "", searchOf(shown.address));
    }
    last = shown;
    document.title = `${shown.address.className ?? shown.address.table} – Partita Studio`;
    waiting ??= setTimeout(write, waitMs);
  });
  addEventListener("pagehide", () => {
    if (last !== undefined) keepLastEntry({ search: searchOf(last.address), entry: entryOf(last) });
  });
  addEventListener("popstate", ({ state }) => {
    clearTimeout(waiting);
    waiting = undefined;
    const isShown = studio.visit(addressOf(location.search), entryIn(state));
    // The form with unstaged changes stays, and so does its table.
    if (!isShown && last !== undefined) history.pushState(entryOf(last), "", searchOf(last.address));
  });
}

/** The address to show first, and its entry after a reload. */
export function firstPlace(): readonly [Address, EntryState | undefined] {
  const last = takeLastEntry();
  return [addressOf(last?.search ?? location.search), last?.entry ?? entryIn(history.state)];
}

const entryIn = (state: unknown): EntryState | undefined => (state ?? undefined) as EntryState | undefined;

function shownBy(studio: HistoryPage): Shown {
  const { table, className, view, ran, text, topLine, tree, selected, grid } = studio;
  return {
    address: {
      table: table.value,
      className: className.value,
      view: view.value,
      text: ran.value.text,
      isScanAllowed: ran.value.allowScan === true,
      line: topLine.value,
      selected: [...selected.value.values()].map(keyOf),
    },
    typed: text.value,
    tree: tree.value,
    selected: selected.value,
    grid: { sort: grid.sort.value, range: grid.range.value },
  };
}

const entryOf = ({ typed, tree, selected, grid }: Shown): EntryState => ({
  typed,
  marks: tree?.list.marks,
  selected: keptRows([...selected.values()]),
  grid,
  focused: document.activeElement?.id,
});
