import { computed, type ReadonlySignal, signal, type Signal } from "@preact/signals";
import type { Cell, Row, RowKey } from "../../api/cells.ts";
import type { RowQuery } from "../../api/queries.ts";
import type { StagedChange } from "../../api/staged.ts";
import { columnsOf, type GridColumn } from "../grid/columns.ts";
import { type CellRange, rangeAt } from "./cell-range.ts";
import {
  type ColumnLayout,
  isPinned,
  laidOut,
  plainLayout,
  readLayout,
  storeLayout,
} from "./column-layout.ts";
import { compareCells } from "./compare-cells.ts";
import type { GridHost } from "./grid-host.ts";
import type { RowList } from "./row-list.ts";
import { idOf, keyOf } from "./row-keys.ts";
import { SeenColumns } from "./seen-columns.ts";

/** The order of the rows in memory, by a column. */
export interface Sort {
  readonly id: string;
  readonly isDescending: boolean;
}

/** A cell that the user edits. */
export interface EditedCell {
  readonly table: string;
  readonly row: Row;
  readonly column: GridColumn;
  /** The text of its value. */
  readonly before: string;
  /** The first text of the editor. */
  readonly text: string;
}

/** The order and the cursor, which survive a reload. */
export type KeptGrid = Readonly<{ sort: Sort | undefined; range: CellRange }>;

/** A value that was not staged: its cell, the reason, and the user's text. */
export interface RefusedText {
  readonly table: string;
  readonly row: RowKey;
  readonly name: string;
  readonly message: string;
  readonly text: string;
}

/** The columns, the order and the cursor of the grid. */
export class GridView {
  readonly layout: Signal<ColumnLayout> = signal(plainLayout);
  readonly sort: Signal<Sort | undefined> = signal(undefined);
  readonly range: Signal<CellRange> = signal(rangeAt(0, 0));
  readonly edited: Signal<EditedCell | undefined> = signal(undefined);
  /** By `cellId`. They stay until the user edits them again or dismisses them. */
  readonly refused: Signal<ReadonlyMap<string, RefusedText>> = signal(new Map());
  /** The id of the column with the open menu. */
  readonly menu: Signal<string | undefined> = signal(undefined);
  /** All columns of the table, in its order. */
  readonly columns: ReadonlySignal<readonly GridColumn[]>;
  /** The columns to show. */
  readonly shown: ReadonlySignal<readonly GridColumn[]>;
  readonly pinnedCount: ReadonlySignal<number>;
  /** The staged changes of the table, by row. */
  readonly changes: ReadonlySignal<ReadonlyMap<string, readonly StagedChange[]>>;
  /** The range of before a reload, until the cursor moves: the grid does not scroll to it. */
  restored: CellRange | undefined;
  /** The text in the editor. */
  written = "";
  readonly #host: GridHost;
  #query = "";
  #sortedAt = "";
  readonly #seen: Signal<SeenColumns> = signal(new SeenColumns());

  constructor(host: GridHost) {
    this.#host = host;
    this.columns = computed(() => {
      void host.drawn.value;
      return columnsOf(host.tableInfo.value?.classes ?? [], host.className.value, this.#seen.value);
    });
    this.shown = computed(() => laidOut(this.columns.value, this.layout.value));
    this.pinnedCount = computed(
      () => this.shown.value.filter((column) => isPinned(column, this.layout.value)).length,
    );
    this.changes = computed(() => changesByRow(host.staged.value, host.table.value));
  }

  /**
   * Starts with the rows of a query. If it ran before, as after a save, the order and the cursor stay. Returns
   * where to note the rows that are read.
   *
   * @param kept - the order and the cursor of before a reload
   */
  reset(query: RowQuery, kept: KeptGrid | undefined): (rows: readonly Row[]) => void {
    const seen = new SeenColumns();
    const text = JSON.stringify(query);
    this.#seen.value = seen;
    this.layout.value = readLayout(...this.#place);
    if (kept !== undefined) {
      this.sort.value = kept.sort;
      this.range.value = this.restored = kept.range;
    } else if (text !== this.#query) {
      this.sort.value = undefined;
      this.range.value = rangeAt(this.#host.topLine.peek(), 0);
    }
    this.#query = text;
    this.#sortedAt = "";
    this.menu.value = undefined;
    return (rows) => seen.see(rows);
  }

  /** Notes child rows, which may have columns of their own. */
  see(rows: readonly Row[]): void {
    this.#seen.value.see(rows);
  }

  changeLayout(change: (layout: ColumnLayout) => ColumnLayout): void {
    this.layout.value = change(this.layout.value);
    storeLayout(...this.#place, this.layout.value);
    const last = Math.max(0, this.shown.value.length - 1);
    const { line, column } = this.range.value.cursor;
    if (column > last) this.range.value = rangeAt(line, last);
  }

  /** Sorts the rows in memory. Undefined for the order of the storage. */
  sortBy(sort: Sort | undefined): void {
    const { line, column } = this.range.value.cursor;
    this.range.value = rangeAt(Math.min(0, line), column);
    this.sort.value = sort;
    this.#sortRows();
  }

  /** Sorts the rows in memory as before. */
  #sortRows(): void {
    const sort = this.sort.value;
    const column = this.columns.value.find(({ id }) => id === sort?.id);
    this.#host.tree.value?.sort(
      column && sort && ((a, b) => compareRows(this.cellOf(column, a), this.cellOf(column, b), sort)),
    );
    this.#host.drawn.value++;
  }

  /** Changes the order with each call: ascending, descending, as stored. */
  cycleSort(id: string): void {
    const { sort } = this;
    if (sort.value?.id !== id) this.sortBy({ id, isDescending: false });
    else this.sortBy(sort.value.isDescending ? undefined : { id, isDescending: true });
  }

  /** Sorts rows that were read since. */
  sortNew(list: RowList): void {
    if (this.sort.value === undefined) return;
    const read = `${list.count} ${list.loadedRows().length}`;
    if (read === this.#sortedAt) return;
    this.#sortedAt = read;
    this.#sortRows();
  }

  /** A cell with its staged value, if there is one. */
  cellOf(column: GridColumn, row: Row): Cell | undefined {
    const staged = this.stagedIn(column, row);
    if (staged === undefined) return column.cellOf(row);
    return staged.after === undefined ? undefined : [column.name, staged.type, staged.after];
  }

  /** The staged change of a cell. */
  stagedIn(column: GridColumn, row: Row): StagedChange["properties"][number] | undefined {
    // Most lines are drawn while nothing is staged, and the id of a row takes time.
    if (this.changes.value.size === 0 || column.id !== column.name) return undefined;
    const change = this.changes.value.get(idOf(row))?.find(({ className }) => className === row.className);
    if (change?.state !== "modified" || change.conflict !== undefined) return undefined;
    return change.properties.find(({ name }) => name === column.name);
  }

  /** Moves the cursor to the next refused cell. */
  goToRefused(): void {
    const { cursor } = this.range.value;
    const found = this.refusedHere().flatMap(({ row, name }) => {
      const line = this.#host.tree.value?.lineOf(row) ?? -1;
      const column = this.shown.value.findIndex((each) => each.id === name);
      return line < 0 || column < 0 ? [] : [{ line, column }];
    });
    const next = found.find(
      ({ line, column }) => line > cursor.line || (line === cursor.line && column > cursor.column),
    );
    const target = next ?? found[0];
    if (target === undefined) this.#host.say("The query does not show these cells.");
    else this.range.value = rangeAt(target.line, target.column);
    document.getElementById("grid")?.focus();
  }

  /** The refused values of the table. */
  refusedHere(): readonly RefusedText[] {
    return [...this.refused.value.values()].filter(({ table }) => table === this.#host.table.value);
  }

  /** Before the page ends: the text of an open editor is kept as one that was not staged. */
  keepWritten(): void {
    const edited = this.edited.value;
    if (edited === undefined || this.written === edited.before) return;
    const { table, row, column } = edited;
    const message = "The page was reloaded before this was staged.";
    const kept = { table, row: keyOf(row), name: column.name, message, text: this.written };
    this.refused.value = new Map(this.refused.value).set(cellId(table, row, column.name), kept);
  }

  /** Forgets the refused values of the table. */
  dismissRefused(): void {
    const others = [...this.refused.value].filter(([, { table }]) => table !== this.#host.table.value);
    this.refused.value = new Map(others);
  }

  refusedIn(column: GridColumn, row: Row): RefusedText | undefined {
    if (this.refused.value.size === 0) return undefined;
    return this.refused.value.get(cellId(this.#host.table.value ?? "", row, column.name));
  }

  get #place(): [table: string, className: string | undefined] {
    return [this.#host.table.value ?? "", this.#host.className.value];
  }
}

/** Identifies a cell of a table. */
export const cellId = (table: string, row: RowKey, name: string): string =>
  JSON.stringify([table, row.partitionKey, row.rowKey, name]);

/** Rows without a value are last. */
function compareRows(a: Cell | undefined, b: Cell | undefined, { isDescending }: Sort): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return isDescending ? compareCells(b, a) : compareCells(a, b);
}

function changesByRow(
  staged: readonly StagedChange[],
  shown: string | undefined,
): ReadonlyMap<string, readonly StagedChange[]> {
  const byRow = new Map<string, StagedChange[]>();
  for (const change of staged) {
    const { table, key } = change;
    if (table !== shown || key === undefined) continue;
    byRow.set(idOf(key), [...(byRow.get(idOf(key)) ?? []), change]);
  }
  return byRow;
}
