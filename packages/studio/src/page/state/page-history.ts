import { effect, type Signal } from "@preact/signals";
import type { Row } from "../../api/cells.ts";
import { type Address, addressOf, isSamePlace, searchOf } from "./address.ts";
import { keptRows } from "./kept-rows.ts";
import type { ListMarks } from "./row-list.ts";
import type { RowTree } from "./row-tree.ts";
import type { View } from "./shown-parts.ts";

/** The part of an entry of the history that is too long for a URL. */
export interface EntryState {
  /** The known pages. With them, a position far down is found without reading the rows before it. */
  readonly marks: ListMarks | undefined;
  readonly selected: readonly Row[];
  /** The text of the query, which may not have run. */
  readonly typed: string;
}

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
  /** @returns false if a form with unstaged changes stays open instead */
  visit(address: Address, entry: EntryState | undefined): boolean;
}

/** The page now, as an entry of the history. */
interface Shown {
  readonly address: Address;
  readonly typed: string;
  readonly tree: RowTree | undefined;
  readonly selected: ReadonlyMap<string, Row>;
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
  // At the end of the page, a browser may already have read the state of its entry.
  addEventListener("beforeunload", write);
  addEventListener("popstate", ({ state }) => {
    clearTimeout(waiting);
    waiting = undefined;
    const isShown = studio.visit(addressOf(location.search), entryIn(state));
    // The form with unstaged changes stays, and so does its table.
    if (!isShown && last !== undefined) history.pushState(entryOf(last), "", searchOf(last.address));
  });
}

/** The entry that a browser has for this page, after a reload. */
export const currentEntry = (): EntryState | undefined => entryIn(history.state);

const entryIn = (state: unknown): EntryState | undefined => (state ?? undefined) as EntryState | undefined;

function shownBy(studio: HistoryPage): Shown {
  const { table, className, view, ran, text, topLine, tree, selected } = studio;
  return {
    address: {
      table: table.value,
      className: className.value,
      view: view.value,
      text: ran.value.text,
      isScanAllowed: ran.value.allowScan === true,
      line: topLine.value,
      selected: [...selected.value.values()].map(({ partitionKey, rowKey }) => ({ partitionKey, rowKey })),
    },
    typed: text.value,
    tree: tree.value,
    selected: selected.value,
  };
}

const entryOf = ({ typed, tree, selected }: Shown): EntryState => ({
  typed,
  marks: tree?.list.marks,
  selected: keptRows([...selected.values()]),
});
